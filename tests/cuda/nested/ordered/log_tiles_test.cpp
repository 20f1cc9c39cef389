// SPDX-License-Identifier: Apache-2.0
// Logarithms of rows by tiles: which requests have them, and the interval that certifies an answer.
#include "cuda/nested/ordered/log_tiles.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cuda/nested/kernels.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

nested_request rows_of(dtype type, std::int64_t n) {
  const auto width = std::int64_t(size_bytes(type));
  nested_request made;
  made.of = accumulator::log_sum, made.input = type, made.x_kind = kind_of(type);
  made.aligned = true, made.shape = order::chunks, made.items = made.piece_items = n;
  made.outputs = 1000, made.axes.kept = 1, made.axes.all = 2, made.finish.size = 1;
  made.axes.axis[0] = {made.outputs, n * width, 0, 0}, made.axes.axis[1] = {n, width, 0, 0};
  return made;
}

TEST(log_tiles, hold_rows_of_narrow_floats_of_one_tile) {
  EXPECT_TRUE(log_tiles_of(rows_of(dtype::f32, 1024)));
  EXPECT_FALSE(log_tiles_of(rows_of(dtype::f32, 1025)));
  EXPECT_TRUE(log_tiles_of(rows_of(dtype::bf16, 2048)));
  EXPECT_TRUE(log_tiles_of(rows_of(dtype::f16, 1)));
  EXPECT_FALSE(log_tiles_of(rows_of(dtype::f64, 8)));
  EXPECT_FALSE(log_tiles_of(rows_of(dtype::i8, 8)));
  nested_request other = rows_of(dtype::f32, 8);
  other.drops_nans = true;
  EXPECT_FALSE(log_tiles_of(other));
  other = rows_of(dtype::f32, 8), other.finish.size = 0;
  EXPECT_FALSE(log_tiles_of(other)) << "states are asked for";
}

TEST(log_tiles, have_a_logarithm_that_is_right_to_44_bits) {
  for (std::int64_t k = 0; k < cases(100'000); ++k) {
    random_source random = source_of(3700, std::uint64_t(k));
    const double sum = std::ldexp(1 + random.unit(), int(random.between(-1, 18)));
    const long double error = std::log((long double)(sum)) - (long double)(quick_logarithm_of(sum));
    ASSERT_LE(std::fabs(error), 0x1p-44L) << "ONEFOLD_TEST_SEED=" << seed() << ", " << sum;
  }
  EXPECT_EQ(quick_logarithm_of(1), 0);
}

// Sums next to the exponentials of midpoints between floats: the interval holds the logarithm. Its
// middle alone is on the wrong side of some.
TEST(log_tiles, near_ties_need_their_interval) {
  int wrong = 0;
  for (std::int64_t k = 0; k < cases(20'000); ++k) {
    random_source random = source_of(3701, std::uint64_t(k));
    const auto some = float(random.unit() * 11 + 0.01);
    const double middle = (double(some) + double(std::nextafter(some, 100.0f))) / 2;
    const double sum = double(std::exp((long double)(middle)));
    const auto [low, high] = interval_of_logarithm(0, sum);
    const long double exact = std::log((long double)(sum));
    ASSERT_LE((long double)(low), exact) << sum;
    ASSERT_GE((long double)(high), exact) << sum;
    wrong += float(quick_logarithm_of(sum)) != float(exact);
  }
  EXPECT_GT(wrong, 0) << "a mutant without an interval";
}

}  // namespace
}  // namespace onefold::cuda::test
