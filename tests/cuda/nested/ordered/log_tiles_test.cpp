// SPDX-License-Identifier: Apache-2.0
// Logarithms of rows by tiles: which requests have them, and the interval that certifies an answer.
#include "cuda/nested/ordered/log_tiles.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cuda/nested/finish_trial.hpp"
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
  other.finish.nan = nan_policy::omit;
  EXPECT_FALSE(log_tiles_of(other));
  other = rows_of(dtype::f32, 8), other.finish.size = 0;
  EXPECT_FALSE(log_tiles_of(other)) << "states are asked for";
}

// Normal elements, about zero or far from it, with some that are equal to the largest one.
template <class T>
void fill_usual(random_source& random, std::vector<std::byte>& to) {
  const double centre = random.one_in(2) ? 0 : random.normal() * 200;
  const double width = random.one_in(2) ? 1 : 40;
  T last{};
  for (std::size_t i = 0; i + sizeof(T) <= to.size(); i += sizeof(T)) {
    if (i == 0 || !random.one_in(9))
      last = onefold::test::chopped<T>(centre + width * random.normal());
    std::memcpy(to.data() + i, &last, sizeof last);
  }
}

TEST(log_tiles, write_the_answers_of_the_host) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(60, 30)) && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3702, k);
    const dtype input = floats[k % 3];
    const std::int64_t n =
        random.one_in(2) ? std::int64_t(1) << random.between(0, 10) : random.between(1, 600);
    nested_request of = rows_of(input, n);
    of.outputs = n < 40 ? random.between(1, 200) : random.between(1, 9);
    of.axes.axis[0].extent = of.outputs;
    std::vector<std::byte> x(std::size_t(of.outputs * n) * size_bytes(input));
    with_type(input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) fill_usual<T>(random, x);
    });
    simt::device gpu;
    of.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    finish_trial trial(random, of);
    if (!random.one_in(4)) trial.in_own_type();
    trial.check(gpu, some_grid(random),
                place_of(k) + std::to_string(of.outputs) + " rows of " + std::to_string(n) + " " +
                    std::string(name(input)));
  }
}

// A lane each, also where they have a gap between them, infinities and NaNs.
TEST(log_tiles, take_short_rows_of_every_length) {
  constexpr std::uint64_t longest = 34;
  for (std::uint64_t k = 0; k < 3 * longest && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3704, k);
    const dtype input = floats[k % 3];
    const auto n = std::int64_t(1 + k / 3),
               apart = n + (random.one_in(3) ? random.between(1, 9) : 0);
    nested_request of = rows_of(input, n);
    of.outputs = of.axes.axis[0].extent = random.between(1, 70);
    of.axes.axis[0].x_bytes = apart * std::int64_t(size_bytes(input));
    std::vector<std::byte> x(std::size_t(of.outputs * apart) * size_bytes(input));
    with_type(input, [&]<class T>(detail::tag<T>) {
      if constexpr (!std::is_integral_v<T>) {
        fill_usual<T>(random, x);
        const double others[] = {INFINITY, -INFINITY, NAN};
        for (std::int64_t i = 0; i < of.outputs * apart; ++i) {
          const T other = onefold::test::chopped<T>(others[random.between(0, 2)]);
          if (random.one_in(40))
            std::memcpy(x.data() + std::size_t(i) * sizeof(T), &other, sizeof other);
        }
      }
    });
    simt::device gpu;
    of.x = gpu.memory().copy(std::span<const std::byte>(x), "x");
    finish_trial trial(random, of);
    trial.in_own_type().check(gpu, some_grid(random),
                              place_of(k) + std::to_string(n) + " of " + std::to_string(apart) +
                                  " " + std::string(name(input)));
  }
}

// Of rows whose largest element no other one reaches that element is the answer. The logarithm of
// its term is some 1e-9 off, units in the last place of elements so near 0: of a mutant that takes
// the interval about it, nearly all answers are wrong.
TEST(log_tiles, have_the_elements_that_no_other_one_reaches) {
  for (std::uint64_t k = 0; k < 12 && !testing::Test::HasFailure(); ++k) {
    random_source random = source_of(3703, k);
    const std::int64_t n = random.between(1, 40);
    nested_request of = rows_of(dtype::f32, n);
    of.outputs = of.axes.axis[0].extent = random.between(1, 40);
    std::vector<float> x(std::size_t(of.outputs * n));
    for (float& one : x) one = float(-50 - 100 * random.unit());
    for (std::int64_t row = 0; row < of.outputs; ++row)
      x[std::size_t(row * n + random.between(0, n - 1))] = float(random.normal() * 0x1p-10);
    simt::device gpu;
    of.x = gpu.memory().copy(std::as_bytes(std::span<const float>(x)), "x");
    finish_trial trial(random, of);
    trial.in_own_type().check(gpu, some_grid(random), place_of(k) + std::to_string(n));
  }
}

TEST(log_tiles, have_a_logarithm_that_is_right_to_44_bits) {
  for (std::int64_t k = 0; k < cases(100'000); ++k) {
    random_source random = source_of(3700, std::uint64_t(k));
    const double sum = std::ldexp(1 + random.unit(), int(random.between(-1, 18)));
    const long double error = std::log((long double)(sum)) - (long double)(quick_logarithm_of(sum));
    ASSERT_LE(std::fabs(error), 0x1p-44L) << "ONEFOLD_TEST_SEED=" << seed() << ", " << sum;
  }
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
