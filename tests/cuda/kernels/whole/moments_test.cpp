// SPDX-License-Identifier: Apache-2.0
// Exact moments of whole arrays under the executor: the words are those of the state.

#include <limits>

#include "cuda/kernels/whole/whole_runs.hpp"
#include "onefold/detail/exact_moments.hpp"
#include "support/factors.hpp"

namespace onefold::test {
namespace {

template <class T>
word_list moments_of(const std::vector<T>& x) {
  exact_moments<T> both;
  for (const T element : x) both.add(element);
  return words_of(both);
}

// True where the words are right; a mismatch is reported.
template <class T>
bool check(const std::vector<T>& x, const launch_shape& shape, const std::string& where,
           way_counts* ways = nullptr) {
  const whole_run run = run_whole(moments_kernel(dtype_of<T>), x, x, shape);
  if (ways != nullptr) *ways = run.ways;
  const word_list expected = moments_of(x);
  EXPECT_EQ(run.words, expected) << "ONEFOLD_TEST_SEED=" << seed() << ": " << name(dtype_of<T>)
                                 << ", " << where << ", n = " << x.size() << ", grid "
                                 << shape.blocks << " x " << shape.threads << ", offset "
                                 << shape.x_offset;
  return run.words == expected && run.sound;
}

template <class T>
std::vector<T> ordinary(random_source& random, std::size_t n) {
  std::vector<T> x(n);
  for (T& element : x) {
    if constexpr (std::is_integral_v<T>)
      element = T(random());
    else
      element = chopped<T>(random.normal());
  }
  return x;
}

template <class T>
class cuda_exact_moments : public testing::Test {};
using all_types = testing::Types<double, float, bf16, f16, std::int8_t, std::uint16_t, std::int32_t,
                                 std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(cuda_exact_moments, all_types);

TYPED_TEST(cuda_exact_moments, take_every_length_about_the_edges_of_tiles) {
  random_source random = source_of(301, 0);
  const std::int64_t tile = moments_kernel(dtype_of<TypeParam>).tile_items;
  for (const std::int64_t n : {std::int64_t(0), std::int64_t(1), std::int64_t(2), std::int64_t(31),
                               tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile + 17, 5 * tile})
    if (!check(ordinary<TypeParam>(random, std::size_t(n)), {2, 64}, "edges")) return;
}

TEST(cuda_exact_moments_of_booleans, may_be_any_bytes) {
  const whole_kernel kernel = moments_kernel(dtype::boolean);
  for (const std::int64_t n : {std::int64_t(0), std::int64_t(45), 3 * kernel.tile_items + 5}) {
    random_source random = source_of(303, std::uint64_t(n));
    std::vector<std::uint8_t> x(static_cast<std::size_t>(n)), truths = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = std::uint8_t(random.one_in(2) ? random.below(256) : 0);
      truths[i] = x[i] != 0;
    }
    const whole_run run = run_whole(kernel, x, x, {2, 64, random.between(0, 15)});
    EXPECT_EQ(run.words, moments_of(truths)) << "ONEFOLD_TEST_SEED=" << seed() << ": n = " << n;
    EXPECT_TRUE(run.sound);
  }
}

TYPED_TEST(cuda_exact_moments, need_no_memory_for_the_answer_of_one_block) {
  random_source random = source_of(75, 0);
  const auto x = ordinary<TypeParam>(random, 700);
  expect_answer_without_memory(moments_kernel(dtype_of<TypeParam>), onefold::accumulator::moments,
                               x, x);
}

TYPED_TEST(cuda_exact_moments, take_every_offset) {
  random_source random = source_of(302, 0);
  const std::int64_t tile = moments_kernel(dtype_of<TypeParam>).tile_items;
  for (int offset = 0; offset < int(16 / sizeof(TypeParam)); ++offset) {
    const auto n = std::size_t(2 * tile) + random.below(40);
    if (!check(ordinary<TypeParam>(random, n), {1, 64, offset}, "offsets")) return;
    if (!check(ordinary<TypeParam>(random, random.below(20)), {1, 32, offset}, "few")) return;
  }
}

TYPED_TEST(cuda_exact_moments, give_the_same_words_on_every_grid) {
  random_source random = source_of(303, 0);
  const std::int64_t tile = moments_kernel(dtype_of<TypeParam>).tile_items;
  const auto x = ordinary<TypeParam>(random, std::size_t(4 * tile + 100));
  for (const unsigned blocks : {1u, 2u, 3u, 7u})
    for (const unsigned threads : {32u, 96u, 128u})
      if (!check(x, {blocks, threads}, "grids")) return;
}

TYPED_TEST(cuda_exact_moments, are_of_as_many_elements_as_the_count_on_the_device) {
  random_source random = source_of(308, 0);
  const whole_kernel kernel = moments_kernel(dtype_of<TypeParam>);
  const auto x = ordinary<TypeParam>(random, std::size_t(3 * kernel.tile_items + 5));
  for (const std::int64_t given : counts_of(std::int64_t(x.size())))
    EXPECT_EQ(run_whole(kernel, x, x, {2, 64, 0, 0, given}).words, moments_of(first_of(x, given)))
        << name(dtype_of<TypeParam>) << ", " << given;
}

template <class T>
class cuda_floating_moments : public testing::Test {};
using floating_types = testing::Types<double, float, bf16, f16>;
TYPED_TEST_SUITE(cuda_floating_moments, floating_types);

TYPED_TEST(cuda_floating_moments, take_every_family_of_inputs) {
  const std::int64_t tile = moments_kernel(dtype_of<TypeParam>).tile_items;
  const std::size_t kinds = families<TypeParam>().size() + 3;
  for (std::size_t index = 0; index < 2 * kinds; ++index) {
    // Half of them where windows of moments end: spreads, and the least and largest exponents.
    const std::size_t kind = index < kinds ? index : kinds - 2 + index % 2;
    random_source random = source_of(304, index);
    factors<TypeParam> in;
    const auto n = std::size_t(tile) * 5 + random.below(100);
    in.x.resize(n), in.y.resize(n);
    const auto family = fill_factors(random, in, kind);
    const launch_shape shape = {unsigned(random.between(1, 2)), 32};
    if (!check(in.x, shape, std::string(family))) return;
  }
}

TYPED_TEST(cuda_floating_moments, know_signed_zeros_and_specials) {
  using format = ieee<TypeParam>;
  const TypeParam minus_zero = make<TypeParam>(true, -format::bias, 0),
                  plus_zero = negated(minus_zero);
  const auto nan = as_float<TypeParam>(bits_of<TypeParam>(format::nan));
  const auto infinity = as_float<TypeParam>(bits_of<TypeParam>(format::infinity));
  const auto tile = std::size_t(moments_kernel(dtype_of<TypeParam>).tile_items);
  const std::vector<TypeParam> zeros(3 * tile + 5, minus_zero);
  random_source random = source_of(305, 0);
  const auto numbers = ordinary<TypeParam>(random, 3 * tile + 5);
  for (const TypeParam other : {minus_zero, plus_zero, nan, infinity, negated(infinity)})
    for (const std::size_t at : {std::size_t(0), tile + 7, 3 * tile + 4}) {
      auto x = zeros, y = numbers;
      x[at] = y[at] = other;
      if (!check(x, {1, 64}, "zeros with one other element")) return;
      if (!check(y, {2, 32}, "numbers with a special one")) return;
    }
  if (!check(std::vector<TypeParam>(2 * tile + 3, nan), {2, 32}, "NaNs only")) return;
}

// The largest counters: terms of one sign and size, and more tiles than a counter has room for.
TEST(cuda_moments_paths, empty_their_counters_in_time) {
  for (const double each : {-1.999, 1.0 / 3}) {
    way_counts ways;
    const std::vector<float> x(std::size_t(512) * 2200 + 77, float(each));
    check(x, {1, 32}, "one value", &ways);
    EXPECT_EQ(ways.fast_tiles, 2 * 2200u);
  }
}

template <class T>
way_counts ways_of(const char* name) {
  way_counts all;
  const auto tile = std::size_t(moments_kernel(dtype_of<T>).tile_items);
  for (const auto& family : families<T>()) {
    if (family.name != name) continue;
    for (std::uint64_t k = 0; k < 4; ++k) {
      random_source random = source_of(306, k);
      way_counts ways;
      std::vector<T> x(tile * 12);
      family.fill(random, x.data(), x.size());
      check(x, {1, 32}, name, &ways);
      all.fast_tiles += ways.fast_tiles, all.slow_ranges += ways.slow_ranges;
      all.binned_ranges += ways.binned_ranges;
    }
  }
  return all;
}

// 4 arrays of 12 tiles, each taken twice.
TEST(cuda_moments_paths, of_ordinary_data_are_fast) {
  EXPECT_EQ(ways_of<double>("integers").fast_tiles, 96u);
  EXPECT_EQ(ways_of<float>("integers").fast_tiles, 96u);
  for (const char* name : {"uniform", "normal", "integers", "subnormal"})
    EXPECT_EQ(ways_of<f16>(name).fast_tiles, 96u) << name;
  EXPECT_GE(ways_of<double>("normal").fast_tiles, 90u);
  EXPECT_GE(ways_of<float>("normal").fast_tiles, 94u);
  EXPECT_GE(ways_of<bf16>("normal").fast_tiles, 90u);
}

TEST(cuda_moments_paths, of_wide_exponents_are_slow) {
  EXPECT_GT(ways_of<double>("two clusters").slow_ranges, 0u);
  EXPECT_GT(ways_of<float>("exponents in +-100").binned_ranges, 0u);
}

using numbers = std::vector<double>;

// Above the binade of a window for ones.
void drifting(random_source&, numbers& x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i < 256 ? 1 : 0x1p8 + double(i);
}
void of_one_sign(random_source& random, numbers& x) {
  for (double& each : x) each = 1 + random.unit();
}
// One binade below those that surely fit, with a last bit that the squares' levels do not miss.
void below_the_unit(random_source& random, numbers& x) {
  for (double& each : x) each = random.one_in(8) ? 0x1.0000000000001p-20 : 1.5;
}
// Elements that fit, whose squares do not.
void sparse(random_source& random, numbers& x) {
  for (double& each : x) each = random.one_in(8) ? 0x1p-60 : 1.5;
}
// Squares whose errors are no doubles.
void tiny(random_source& random, numbers& x) {
  for (double& each : x) each = (1 + random.unit()) * 0x1p-500;
}
void at_edges(random_source& random, numbers& x) {
  fill_moment_edge(random, x);
}

int wrong_of(const char* without, void (*fill)(random_source&, numbers&)) {
  const whole_kernel kernel = moments_mutant(without);
  int wrong = 0;
  for (std::uint64_t k = 0; k < 12; ++k) {
    random_source random = source_of(307, k);
    numbers x(std::size_t(kernel.tile_items) * 6 + 3);
    fill(random, x);
    const whole_run run = run_whole(kernel, x, x, {1, 32}, true);
    wrong += !run.sound || run.words != moments_of(x);
  }
  return wrong;
}

const struct {
  const char* check;
  void (*fill)(random_source&, numbers&);
} rows[] = {{"binade", drifting}, {"sum_residual", below_the_unit}, {"residual", sparse},
            {"clamp", tiny},      {"rollback", at_edges},           {"error_term", of_one_sign}};

TEST(cuda_moments_mutation, of_every_check_is_caught_by_the_arrays_that_are_there_for_it) {
  for (const auto& row : rows) {
    const int wrong = wrong_of(row.check, row.fill);
    std::printf("  without %-12s %2d of 12 arrays come out wrong\n", row.check, wrong);
    EXPECT_GT(wrong, 0) << "ONEFOLD_TEST_SEED=" << seed() << ": " << row.check;
    EXPECT_EQ(wrong_of("nothing", row.fill), 0) << row.check;
  }
}

}  // namespace
}  // namespace onefold::test
