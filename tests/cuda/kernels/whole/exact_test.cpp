// SPDX-License-Identifier: Apache-2.0
// Exact reductions of whole arrays under the executor: the words are those of the state.

#include <cmath>

#include "cuda/kernels/whole/whole_runs.hpp"
#include "support/factors.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

using reduced = onefold::accumulator;

constexpr reduced reductions[] = {reduced::total, reduced::magnitudes, reduced::squares,
                                  reduced::products};
const char* const reduction_names[] = {"total", "magnitudes", "squares", "products"};

template <class T>
class cuda_exact_full : public testing::Test {
 public:
  // True where the words are right; a mismatch is reported.
  static bool check(reduced answers, const std::vector<T>& x, const std::vector<T>& y,
                    const launch_shape& shape, const std::string& where, way_counts* ways = {}) {
    const bool apart = (shape.x_offset - shape.y_offset) * int(sizeof(T)) % 16 != 0;
    const whole_run run = run_whole(exact_whole_kernel(answers, dtype_of<T>, apart), x, y, shape);
    if (ways != nullptr) *ways = run.ways;
    const word_list expected = state_of(answers, x, y);
    EXPECT_EQ(run.words, expected)
        << "ONEFOLD_TEST_SEED=" << seed() << ": " << name(dtype_of<T>) << " "
        << reduction_names[int(answers)] << ", " << where << ", n = " << x.size() << ", grid "
        << shape.blocks << " x " << shape.threads << ", offsets " << shape.x_offset << ", "
        << shape.y_offset;
    return run.words == expected && run.sound;
  }
  static std::vector<T> normal(random_source& random, std::size_t n) {
    std::vector<T> x(n);
    for (T& element : x) element = chopped<T>(random.normal());
    return x;
  }
};

using all_types = testing::Types<double, float, bf16, f16>;
TYPED_TEST_SUITE(cuda_exact_full, all_types);

TYPED_TEST(cuda_exact_full, takes_every_length_about_the_edges_of_tiles) {
  random_source random = source_of(1, 0);
  for (const reduced kind : reductions) {
    const std::int64_t tile = exact_whole_kernel(kind, dtype_of<TypeParam>).tile_items;
    for (const std::int64_t n :
         {std::int64_t(0), std::int64_t(1), std::int64_t(2), std::int64_t(31), std::int64_t(33),
          tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile + 17, 5 * tile}) {
      const auto x = this->normal(random, std::size_t(n)), y = this->normal(random, std::size_t(n));
      if (!this->check(kind, x, y, {2, 64}, "edges")) return;
    }
  }
}

TYPED_TEST(cuda_exact_full, takes_as_many_elements_as_the_count_on_the_device) {
  random_source random = source_of(31, 0);
  for (const reduced kind : reductions) {
    const whole_kernel kernel = exact_whole_kernel(kind, dtype_of<TypeParam>);
    const auto x = this->normal(random, std::size_t(3 * kernel.tile_items + 5));
    for (const std::int64_t given : counts_of(std::int64_t(x.size()))) {
      const auto counted = first_of(x, given);
      EXPECT_EQ(run_whole(kernel, x, x, {2, 64, 0, 0, given}).words,
                state_of(kind, counted, counted))
          << name(dtype_of<TypeParam>) << " " << reduction_names[int(kind)] << ", " << given;
    }
  }
}

TYPED_TEST(cuda_exact_full, needs_no_memory_for_the_answer_of_one_block) {
  random_source random = source_of(18, 0);
  const auto x = TestFixture::normal(random, 700), y = TestFixture::normal(random, 700);
  for (const auto kind : reductions)
    expect_answer_without_memory(exact_whole_kernel(kind, dtype_of<TypeParam>), kind, x, y);
}

TYPED_TEST(cuda_exact_full, takes_every_offset) {
  random_source random = source_of(2, 0);
  const int offsets = int(16 / sizeof(TypeParam));
  for (const reduced kind : reductions) {
    const std::int64_t tile = exact_whole_kernel(kind, dtype_of<TypeParam>).tile_items;
    for (int offset = 0; offset < offsets; ++offset) {
      const auto n = std::size_t(2 * tile) + random.below(40);
      const auto x = this->normal(random, n), y = this->normal(random, n);
      const int other = random.one_in(2) ? offset : random.between(0, offsets - 1);
      if (!this->check(kind, x, y, {1, 64, offset, other}, "offsets")) return;
      const auto few = this->normal(random, random.below(20));
      if (!this->check(kind, few, few, {1, 32, offset, other}, "few elements")) return;
    }
  }
}

TYPED_TEST(cuda_exact_full, gives_the_same_words_on_every_grid) {
  random_source random = source_of(3, 0);
  for (const reduced kind : reductions) {
    const std::int64_t tile = exact_whole_kernel(kind, dtype_of<TypeParam>).tile_items;
    const auto n = std::size_t(4 * tile + 100);
    const auto x = this->normal(random, n), y = this->normal(random, n);
    for (const unsigned blocks : {1u, 2u, 3u, 7u})
      for (const unsigned threads : {32u, 96u, 128u})
        if (!this->check(kind, x, y, {blocks, threads}, "grids")) return;
  }
}

// Few elements of each family, and for some arrays the ways that they went.
TYPED_TEST(cuda_exact_full, takes_every_family_of_inputs) {
  for (const reduced kind : reductions) {
    const std::int64_t tile = exact_whole_kernel(kind, dtype_of<TypeParam>).tile_items;
    const std::size_t kinds = families<TypeParam>().size() + 3;
    for (std::size_t index = 0; index < kinds; ++index) {
      random_source random = source_of(std::uint64_t(4 + int(kind)), index);
      factors<TypeParam> in;
      const auto n = std::size_t(tile) * 5 + random.below(100);
      in.x.resize(n), in.y.resize(n);
      const auto family = fill_factors(random, in, index);
      const launch_shape shape = {unsigned(random.between(1, 2)), 32};
      if (!this->check(kind, in.x, in.y, shape, std::string(family))) return;
    }
  }
}

TYPED_TEST(cuda_exact_full, knows_signed_zeros_and_specials) {
  using format = ieee<TypeParam>;
  const TypeParam minus_zero = make<TypeParam>(true, -format::bias, 0),
                  plus_zero = negated(minus_zero);
  const auto nan = as_float<TypeParam>(bits_of<TypeParam>(format::nan));
  const auto infinity = as_float<TypeParam>(bits_of<TypeParam>(format::infinity));
  for (const reduced kind : reductions) {
    const std::size_t tile = std::size_t(exact_whole_kernel(kind, dtype_of<TypeParam>).tile_items);
    const std::vector<TypeParam> zeros(3 * tile + 5, minus_zero);
    for (const TypeParam other : {minus_zero, plus_zero, nan, infinity, negated(infinity)})
      for (const std::size_t at : {std::size_t(0), tile + 7, 3 * tile + 4}) {
        auto x = zeros, y = zeros;
        std::fill(y.begin(), y.end(), make<TypeParam>(at == 0, 0, 0));
        x[at] = other;
        if (at > 0) y[at] = zeros[0];
        if (!this->check(kind, x, y, {1, 64}, "zeros with one other element")) return;
      }
    const std::vector<TypeParam> only(2 * tile + 3, nan);
    if (!this->check(kind, only, zeros, {2, 32}, "NaNs only")) return;
  }
}

template <class T>
way_counts ways_of(const char* name, reduced answers = reduced::total) {
  way_counts all;
  const std::size_t tile = std::size_t(exact_whole_kernel(answers, dtype_of<T>).tile_items);
  for (const auto& family : families<T>()) {
    if (family.name != name) continue;
    for (std::uint64_t k = 0; k < 4; ++k) {
      random_source random = source_of(9, k);
      way_counts ways;
      std::vector<T> x(tile * 12);
      family.fill(random, x.data(), x.size());
      cuda_exact_full<T>::check(answers, x, x, {1, 32}, name, &ways);
      all.fast_tiles += ways.fast_tiles, all.moved_windows += ways.moved_windows;
      all.slow_ranges += ways.slow_ranges, all.windows += ways.windows;
      all.binned_ranges += ways.binned_ranges;
    }
  }
  return all;
}

// 4 arrays of 12 tiles, each taken twice.
TEST(cuda_exact_whole_paths, of_ordinary_data_are_fast) {
  for (const char* name : {"uniform", "normal", "integers"}) {
    EXPECT_EQ(ways_of<double>(name).fast_tiles, 96u) << name;
    EXPECT_EQ(ways_of<float>(name).fast_tiles, 96u) << name;
    EXPECT_EQ(ways_of<f16>(name).fast_tiles, 96u) << name;
    EXPECT_GT(ways_of<bf16>(name).fast_tiles, 80u) << name;
  }
}

TEST(cuda_exact_whole_paths, of_subnormals_are_fast) {
  EXPECT_GT(ways_of<double>("subnormal").fast_tiles, 90u);
  EXPECT_GT(ways_of<double>("near the least normal").fast_tiles, 90u);
  EXPECT_EQ(ways_of<float>("subnormal").fast_tiles, 96u);
}

// Four binades a tile: a window has ten above the tile that it was opened for.
template <class T>
void expect_moves() {
  const whole_kernel kernel = exact_whole_kernel(reduced::total, dtype_of<T>);
  const std::size_t tiles = 24, quarter = std::size_t(kernel.tile_items) / 4;
  std::vector<T> x(tiles * 4 * quarter);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(T(1), int(i / quarter));
  way_counts ways;
  cuda_exact_full<T>::check(reduced::total, x, x, {1, 32}, "drift", &ways);
  EXPECT_EQ(ways.fast_tiles, 2 * tiles);
  EXPECT_GE(ways.moved_windows, 2 * tiles / 4);
  EXPECT_LE(ways.moved_windows, 2 * tiles / 2);
  EXPECT_EQ(ways.windows, 0u);
}

TEST(cuda_exact_whole_paths, of_drifting_exponents_move_the_window) {
  expect_moves<double>();
  expect_moves<float>();
}

// The largest significands at the largest shift of a bin, all of one sign, and in each tile one
// element that keeps it from a window: 1 + 2 + 4 … + 32 tiles in a row, more than bins take at
// once.
template <class T>
void fill_bins(reduced answers) {
  using format = detail::float_format<T>;
  const whole_kernel kernel = exact_whole_kernel(answers, dtype_of<T>);
  const auto tile = std::size_t(kernel.tile_items);
  const auto largest = [](int shift) {
    return as_float<T>(typename format::bits(
        typename format::bits(shift + 1) << format::fraction_bits | (format::hidden_bit - 1)));
  };
  // Of a product 127 + 128 = 7 * 32 + 31.
  const T one = largest(answers == reduced::products ? 127 : 159), other = largest(128);
  for (const bool minus : {false, true}) {
    std::vector<T> x(63 * tile, minus ? negated(one) : one), y(x.size(), other);
    for (std::size_t i = 0; i < x.size(); i += tile) x[i] = as_float<T>(typename format::bits(1));
    way_counts ways;
    cuda_exact_full<T>::check(answers, x, y, {1, 32}, "full bins", &ways);
    EXPECT_EQ(ways.fast_tiles, 0u);
    EXPECT_GT(ways.binned_ranges, 4u);
  }
}

TEST(cuda_exact_whole_paths, of_wide_exponents_fill_bins_and_do_not_overflow_them) {
  fill_bins<float>(reduced::total);
  fill_bins<float>(reduced::products);
  fill_bins<bf16>(reduced::products);
  fill_bins<double>(reduced::total);
}

TEST(cuda_exact_whole_paths, of_wide_exponents_are_slow) {
  const way_counts wide = ways_of<double>("random bits");
  EXPECT_EQ(wide.fast_tiles, 0u);
  EXPECT_GT(wide.windows, 10 * wide.slow_ranges);
  EXPECT_GT(wide.binned_ranges, 0u);
  EXPECT_GT(ways_of<double>("two clusters").slow_ranges, 0u);
  EXPECT_GT(ways_of<float>("exponents in +-100").binned_ranges, 0u);
  EXPECT_GT(ways_of<bf16>("random bits", reduced::products).binned_ranges, 0u);
  EXPECT_EQ(ways_of<double>("random bits", reduced::products).binned_ranges, 0u);
}

}  // namespace
}  // namespace onefold::test
