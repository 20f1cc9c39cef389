// SPDX-License-Identifier: Apache-2.0
// Sums and means of small arrays by a window of 128 bits, and plain answers of the digits of a
// state, under the executor: what is written has the bits of the host's answers, of usual data all
// is, and what the window cannot hold is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/kernels/whole/whole_entry.hpp"
#include "cuda/kernels/whole/window_kernels.hpp"
#include "onefold/exact.hpp"
#include "rounding/round_state.hpp"
#include "simt/device.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::cuda::test {
namespace {

using namespace onefold::test;

constexpr std::uint64_t nothing = 0x5A5A5A5A5A5A5A5A;

/// What every thread says, which has to be the same.
bool agreed(const simt::device& gpu, const bool* decided, unsigned threads,
            const std::string& where) {
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << where << ": " << f.text();
  EXPECT_EQ(std::count(decided, decided + threads, decided[0]), threads) << where;
  return decided[0];
}

template <class T, class State>
std::uint64_t answer_of(const State& state, op op) {
  std::uint64_t made = nothing;
  EXPECT_TRUE(
      round_state(op, state, {dtype_of<T>, nan_policy::propagate, 0}, &made, dtype_of<T>).ok());
  return made;
}

/// Whether the window decides the answer. Then it has to be right, else nothing may be written; and
/// the kernel has to be right in any case.
template <class T>
bool decides(const std::vector<T>& x, op op, grid_shape grid, const std::string& where,
             unsigned skewed = 0) {
  const unsigned threads = grid.blocks * grid.threads;
  simt::device gpu;
  auto* const answer = gpu.memory().allocate<std::uint64_t>(1, "answer");
  auto* const status = gpu.memory().allocate<std::int32_t>(1, "status");
  auto* const decided = gpu.memory().allocate<bool>(threads, "decided");
  T* const elements = gpu.memory().template allocate<T>(x.size() + skewed, "x") + skewed;
  std::memcpy(elements, x.data(), x.size() * sizeof(T));
  gpu.memory().mark_written(gpu.memory().offset_of(elements), x.size() * sizeof(T));
  const simt::launch_config config = {
      .grid = {grid.blocks}, .block = {grid.threads}, .order = simt::schedule::shuffled};
  const std::string which = where + ": " + std::string(name(op)) + " of " +
                            std::string(name(dtype_of<T>)) + ", n = " + std::to_string(x.size()) +
                            " at " + std::to_string(skewed) + ", " + std::to_string(grid.blocks) +
                            " blocks of " + std::to_string(grid.threads) +
                            ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
  *answer = nothing, *status = -1;
  finish_list list;
  list.size = 1, list.answers[0] = {answer, op, dtype_of<T>};
  list.status = status, list.is_first = true;
  exact_sum<T> state;
  for (const T each : x) state.add(each);
  const std::uint64_t wanted = answer_of<T>(state, op);
  launch_window(gpu, config, elements, dtype_of<T>, std::int64_t(x.size()), list, decided);
  const bool done = agreed(gpu, decided, threads, which);
  EXPECT_EQ(*answer, done ? wanted : nothing) << which;
  EXPECT_EQ(*status, done ? 0 : -1) << which;
  *answer = nothing;
  launch_window(gpu, config, elements, dtype_of<T>, std::int64_t(x.size()), list, nullptr);
  EXPECT_EQ(*answer, wanted) << which;
  EXPECT_EQ(*status, 0) << which;
  return done;
}

/// The same of the digits of a state.
template <class T, class State>
bool finishes(const State& state, accumulator kind, op op, const std::string& where) {
  simt::device gpu;
  std::vector<std::int64_t> words;
  state.for_each_word([&](std::int64_t word) { words.push_back(word); });
  auto* const answer = gpu.memory().allocate<std::uint64_t>(1, "answer");
  auto* const decided = gpu.memory().allocate<bool>(32, "decided");
  *answer = nothing;
  finish_list list;
  list.size = 1, list.answers[0] = {answer, op, dtype_of<T>};
  launch_plain_finish(gpu, kind, dtype_of<T>,
                      gpu.memory().copy(std::span<const std::int64_t>(words), "words"),
                      state.count(), list, decided);
  const bool done = agreed(gpu, decided, 32, where);
  EXPECT_EQ(*answer, done ? answer_of<T>(state, op) : nothing)
      << where << ": " << name(op) << " of " << name(dtype_of<T>)
      << ", ONEFOLD_TEST_SEED=" << seed();
  return done;
}

template <class T>
class cuda_window : public testing::Test {};
using float_types = testing::Types<float, f16, bf16, double>;
TYPED_TEST_SUITE(cuda_window, float_types);

constexpr op answers[] = {op::sum, op::mean};

constexpr grid_shape one_warp = {1, 32};

grid_shape any_grid(random_source& random) {
  const unsigned threads = unsigned(32 * random.between(1, 4));
  return {random.one_in(2) ? 1u : 1u << random.below(5), threads};
}
/// Elements for such a grid, of a vector a thread or of several.
template <class T>
std::size_t any_count(random_source& random, grid_shape grid) {
  const std::int64_t vectors = random.one_in(2) ? 1 : most_window_vectors;
  const std::int64_t most = vectors * 16 * grid.blocks * grid.threads / std::int64_t(sizeof(T));
  return std::size_t(random.one_in(4) ? most : random.between(1, most));
}
/// Elements before the first aligned vector are no vector's.
template <class T>
unsigned any_skew(random_source& random) {
  return random.one_in(2) ? 0 : unsigned(random.below(16 / sizeof(T)));
}

TYPED_TEST(cuda_window, certifies_usual_numbers) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(24, 12)); ++k) {
    random_source random = source_of(4200, k);
    const grid_shape grid = any_grid(random);
    std::vector<TypeParam> x(any_count<TypeParam>(random, grid));
    for (TypeParam& each : x) each = chopped<TypeParam>(1 + std::abs(random.normal()));
    for (const op op : answers)
      EXPECT_TRUE(decides(x, op, grid, "case " + std::to_string(k), any_skew<TypeParam>(random)));
  }
}

TYPED_TEST(cuda_window, is_right_where_it_is_certain) {
  const auto& all = families<TypeParam>();
  for (std::size_t index = 0; index < all.size(); ++index) {
    random_source random = source_of(4201, index);
    const grid_shape grid = any_grid(random);
    std::vector<TypeParam> x(any_count<TypeParam>(random, grid));
    all[index].fill(random, x.data(), x.size());
    for (const op op : answers)
      decides(x, op, grid, std::string(all[index].name), any_skew<TypeParam>(random));
  }
}

TYPED_TEST(cuda_window, leaves_what_has_no_integer) {
  using format = detail::float_format<TypeParam>;
  const auto one = chopped<TypeParam>(1), minus_one = chopped<TypeParam>(-1);
  const auto zero = chopped<TypeParam>(0), minus_zero = as_float<TypeParam>(format::sign_bit);
  const auto infinity = as_float<TypeParam>(format::infinity),
             nan = as_float<TypeParam>(format::quiet_nan);
  const auto none = [](const std::vector<TypeParam>& x) {
    for (const op op : answers)
      for (const unsigned blocks : {1, 2, 16})
        EXPECT_FALSE(decides(x, op, {blocks, 32}, "no integer"));
  };
  none({zero}), none({minus_zero}), none({one, minus_one}), none({zero, minus_zero});
  none({one, infinity}), none({nan}),
      none({infinity, as_float<TypeParam>(format::infinity | format::sign_bit)});
}

// The smallest element that an element of 1 leaves in the window, and the next smaller ones.
TYPED_TEST(cuda_window, ends_where_bits_would_be_lost) {
  using format = detail::float_format<TypeParam>;
  constexpr int top = 127 - format::precision - 14;
  if constexpr (top < format::max_exponent) {  // else it holds all numbers
    const auto last = std::uint64_t(format::max_exponent - top) << format::fraction_bits;
    const auto one = chopped<TypeParam>(1);
    EXPECT_TRUE(
        decides<TypeParam>({one, as_float<TypeParam>(last)}, op::sum, one_warp, "the last bit"));
    EXPECT_FALSE(
        decides<TypeParam>({one, as_float<TypeParam>(last - 1)}, op::sum, one_warp, "below it"));
  }
}

// Blocks whose windows differ are aligned: bits are lost only where the sum of a block has some.
TYPED_TEST(cuda_window, aligns_the_windows_of_blocks) {
  using format = detail::float_format<TypeParam>;
  constexpr int top = 127 - format::precision - 17;
  if constexpr (top < format::max_exponent - 1) {
    const auto element = [](int exponent) {
      return as_float<TypeParam>(std::uint64_t(exponent) << format::fraction_bits);
    };
    constexpr auto items = std::size_t(16 / sizeof(TypeParam));
    const int one = format::max_exponent;
    for (const int below : {1, top - 1, top, top + 1, top + format::precision - 1}) {
      std::vector<TypeParam> x(2 * 32 * items, chopped<TypeParam>(0));
      x[3] = element(one), x[32 * items + 1] = element(one - below);
      const std::string where = std::to_string(below) + " below";
      EXPECT_TRUE(decides(x, op::sum, {2, 32}, where));
      x[32 * items + 1] =
          as_float<TypeParam>(std::uint64_t(one - below) << format::fraction_bits | 1);
      EXPECT_EQ(decides(x, op::sum, {2, 32}, where), below <= top);
    }
  }
}

TYPED_TEST(cuda_window, rounds_ties_subnormal_numbers_and_overflow) {
  using format = detail::float_format<TypeParam>;
  const std::uint64_t one = std::uint64_t(format::max_exponent) << format::fraction_bits;
  const std::uint64_t half_ulp = one - (std::uint64_t(format::precision) << format::fraction_bits);
  const std::uint64_t sign = format::sign_bit, largest = format::infinity - 1;
  const std::vector<std::vector<std::uint64_t>> lists = {{one, half_ulp},
                                                         {one | 1, half_ulp},
                                                         {one | sign, half_ulp | sign},
                                                         {one, half_ulp, half_ulp - 1},
                                                         {1},
                                                         {1, 1, 1},
                                                         {sign | 1, sign | 2},
                                                         {largest, largest},
                                                         {largest | sign, largest | sign, 1 | sign},
                                                         {largest},
                                                         {format::hidden_bit, sign | 1}};
  for (const auto& bits : lists) {
    std::vector<TypeParam> x;
    for (const std::uint64_t each : bits) x.push_back(as_float<TypeParam>(each));
    for (const op op : answers)
      for (const unsigned blocks : {1, 4}) decides(x, op, {blocks, 32}, "list");
    EXPECT_TRUE(decides(x, op::sum, {1, 64}, "list") || bits[0] == (largest | sign));
  }
}

/// How many of the plain answers of x, and of the products with y, are finished.
template <class T>
int finished(const std::vector<T>& x, const std::vector<T>& y, const std::string& where) {
  exact_sum<T> sum, magnitudes;
  exact_dot<T> squares, products;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto magnitude = detail::to_bits(x[i]) & ~detail::float_format<T>::sign_bit;
    sum.add(x[i]), magnitudes.add(as_float<T>(magnitude));
    squares.add(x[i], x[i]), products.add(x[i], y[i]);
  }
  return finishes<T>(sum, accumulator::total, op::sum, where) +
         finishes<T>(sum, accumulator::total, op::mean, where) +
         finishes<T>(magnitudes, accumulator::magnitudes, op::norm1, where) +
         finishes<T>(squares, accumulator::squares, op::sumsq, where) +
         finishes<T>(products, accumulator::products, op::dot, where);
}

TYPED_TEST(cuda_window, finishes_the_digits_of_states) {
  const auto& all = families<TypeParam>();
  int done = 0;
  for (std::size_t index = 0; index < all.size(); ++index)
    for (const std::size_t n : {1, 3, 200}) {
      random_source random = source_of(4202, index * 1000 + n);
      std::vector<TypeParam> x(n), y(n);
      all[index].fill(random, x.data(), n), all[index].fill(random, y.data(), n);
      done += finished(x, y, std::string(all[index].name));
    }
  EXPECT_GE(done, int(all.size()));
}

TYPED_TEST(cuda_window, finishes_the_largest_and_the_smallest_sums) {
  using format = detail::float_format<TypeParam>;
  const auto largest = as_float<TypeParam>(format::infinity - 1), least = as_float<TypeParam>(1);
  const auto minus = as_float<TypeParam>((format::infinity - 1) | format::sign_bit);
  for (const TypeParam x : {largest, least, minus})
    for (const TypeParam y : {largest, least, minus})
      finished<TypeParam>({x, y, x}, {y, y, x}, "extremes");
}

}  // namespace
}  // namespace onefold::cuda::test
