// SPDX-License-Identifier: Apache-2.0
// logsumexp within its bound of MPFR's, with the same bits on every SIMD target; infinities, NaN,
// drifting data, integers; the exponential alone; words.
#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "cpu/tasks/tasks.hpp"
#include "runtime/float_environment.hpp"
#include "state/exponential.hpp"
#include "support/each_target.hpp"
#include "support/oracle.hpp"
#include "support/plain_order.hpp"
#include "support/real_oracle.hpp"

namespace onefold::test {
namespace {

using detail::log_sum;
using detail::scaled_pair;

std::vector<std::int64_t> words_of(const log_sum& state) {
  std::vector<std::int64_t> words;
  state.for_each_word([&](std::int64_t word) { words.push_back(word); });
  return words;
}

log_sum by_task(dtype type, const void* x, std::int64_t n, std::int64_t piece = 65536) {
  const float_environment sound;
  const auto task = cpu::make_log_sum_task(type);
  log_sum whole;
  for (std::int64_t i = 0; i < n; i += piece) {
    const auto* at = static_cast<const std::byte*>(x) + std::size_t(i) * size_bytes(type);
    whole.append(std::get<log_sum>(task->take({at, nullptr, std::min(piece, n - i), i})));
  }
  return whole;
}

// docs/numerics/logsumexp.md, Theorem 4.
double bound(dtype type, const scaled_pair& result) {
  const bool narrow = type == dtype::f16 || type == dtype::bf16 || type == dtype::f32;
  return (narrow ? 0x1p-28 : 0x1p-46) + std::fabs(result.high) * 0x1p-100;
}

enum class exponents {
  any_bits,
  usual,
  equal,
  far_apart,
  rising,
  falling,
  huge,
  near_zero,
  limits
};
constexpr exponents all_exponents[] = {
    exponents::any_bits,  exponents::usual,     exponents::equal,
    exponents::far_apart, exponents::rising,    exponents::falling,
    exponents::huge,      exponents::near_zero, exponents::limits};

double make_exponent(random_source& random, exponents kind, std::int64_t i, std::int64_t n) {
  switch (kind) {
  case exponents::usual:
    return random.normal() * 3;
  case exponents::equal:
    return -std::log(double(n));
  case exponents::far_apart:
    return random.unit() * 1500 - 800;
  case exponents::rising:
    return double(i) * 2500 / double(n) - 1000 + random.unit();
  case exponents::falling:
    return 700 - double(i) * 1500 / double(n);
  case exponents::huge:
    return 30000 + random.unit() * 40;
  case exponents::near_zero:
    return random.normal() * 0x1p-30;
  case exponents::limits:
    return random.one_in(2) ? -708 + random.unit() * 2 - 1 : random.between(0, 1);
  default:
    return random.normal();
  }
}

template <class T>
std::vector<T> make_elements(random_source& random, exponents kind, std::int64_t n) {
  std::vector<T> x(std::size_t(n), T{});
  for (std::int64_t i = 0; i < n; ++i) {
    const double wanted = make_exponent(random, kind, i, n);
    T element = chopped<T>(wanted);
    if (kind == exponents::any_bits)
      element = any_of_exponent<T>(random, random.between(1 - ieee<T>::bias, ieee<T>::bias));
    x[std::size_t(i)] = element;
  }
  return x;
}

template <class T>
std::vector<double> doubles_of(const std::vector<T>& x) {
  std::vector<double> values;
  for (const T& element : x)
    values.push_back(double(plain_value<T>(reinterpret_cast<const std::byte*>(&element))));
  return values;
}

template <class T>
class LogSum : public ::testing::Test {};
using float_types = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(LogSum, float_types);

TYPED_TEST(LogSum, LiesWithinItsBoundAndHasTheSameBitsOnEveryTarget) {
  std::uint64_t index = 0;
  double worst = 0;
  for (const std::int64_t n : {1, 2, 3, 63, 64, 65, 200, 2047, 2048, 2113, 5000, 66001})
    for (const exponents kind : all_exponents) {
      if (n > 60000 && kind != exponents::usual && kind != exponents::rising) continue;
      random_source random = source_of(831, index++);
      const auto x = make_elements<TypeParam>(random, kind, n);
      const std::int64_t piece = random.one_in(2) ? 65536 : 1 + std::int64_t(random.below(3000));
      const std::string what = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", array " +
                               std::to_string(index - 1) + ", kind " + std::to_string(int(kind)) +
                               ", " + std::to_string(n) + " by " + std::to_string(piece);
      std::vector<std::int64_t> first_words;
      on_each_target([&](const std::string& target) {
        const log_sum got = by_task(dtype_of<TypeParam>, x.data(), n, piece);
        if (first_words.empty()) {
          first_words = words_of(got);
          const scaled_pair result = got.logarithm();
          const double error = error_of_log_sum(doubles_of(x), result);
          EXPECT_LE(error, bound(dtype_of<TypeParam>, result)) << what;
          worst = std::max(worst, error - std::fabs(result.high) * 0x1p-100);
          const auto [total, exponent] = exact(result);
          EXPECT_EQ(hex(as_bits(got.value<TypeParam>())),
                    hex(rounded<TypeParam>(total, int(exponent))))
              << what;
        }
        EXPECT_EQ(words_of(got), first_words) << what << ", " << target;
      });
    }
  std::printf("  largest error of %s: 2^%.1f\n", ieee<TypeParam>::name.data(), std::log2(worst));
}

// Of -0 it is log 1 = +0.
TYPED_TEST(LogSum, OfOneElementIsThatElement) {
  for (std::int64_t k = 0; k < cases(5000); ++k) {
    random_source random = source_of(832, std::uint64_t(k));
    const auto x = any_of_exponent<TypeParam>(
        random, random.between(-ieee<TypeParam>::bias, ieee<TypeParam>::bias));
    const log_sum got = by_task(dtype_of<TypeParam>, &x, 1);
    const auto expected = magnitude_bits(x) == 0 ? bits_of<TypeParam>(0) : as_bits(x);
    EXPECT_EQ(as_bits(got.value<TypeParam>()), expected) << hex(as_bits(x));
  }
}

TYPED_TEST(LogSum, TreatsInfinitiesAndNaNByTheirMeaning) {
  using format = ieee<TypeParam>;
  const auto minus = as_float<TypeParam>(bits_of<TypeParam>(format::sign | format::infinity));
  const auto plus = as_float<TypeParam>(format::infinity), nan = as_float<TypeParam>(format::nan);
  const auto one = make<TypeParam>(false, 0, 0);
  const auto of = [](std::vector<TypeParam> x, bool omit) {
    std::vector<bits_of<TypeParam>> seen;
    for (const std::int64_t piece : {1, 2, 65536}) {
      const auto state = by_task(dtype_of<TypeParam>, x.data(), std::int64_t(x.size()), piece);
      seen.push_back(as_bits(state.template value<TypeParam>(omit)));
      EXPECT_EQ(seen.back(), seen.front()) << piece;
    }
    return seen.front();
  };
  EXPECT_EQ(of({minus, minus, minus}, false), as_bits(minus));
  EXPECT_EQ(of({minus, one, minus}, false), as_bits(one));
  EXPECT_EQ(of({one, plus, minus}, false), as_bits(plus));
  EXPECT_EQ(of({one, plus, nan}, false), format::nan);
  EXPECT_EQ(of({one, plus, nan}, true), as_bits(plus));
  EXPECT_EQ(of({nan, one, nan}, true), as_bits(one));
  EXPECT_EQ(of({nan, nan}, true), as_bits(minus));
  EXPECT_EQ(of({nan, minus}, true), as_bits(minus));
  EXPECT_EQ(of({nan, minus}, false), format::nan);
  EXPECT_EQ(as_bits(log_sum{}.value<TypeParam>()), as_bits(minus));
}

// docs/numerics/logsumexp.md, section 3: integers have a piece's bound of their own.
constexpr double integer_bound = 0x1p-47;

void expect_integers(dtype type, const void* x, const std::vector<double>& values,
                     const std::string& what) {
  const auto n = std::int64_t(values.size());
  const log_sum first = by_task(type, x, n);
  const scaled_pair result = first.logarithm();
  EXPECT_LE(error_of_log_sum(values, result), integer_bound + std::fabs(result.high) * 0x1p-100)
      << what;
  on_each_target([&](const std::string& target) {
    EXPECT_EQ(words_of(by_task(type, x, n)), words_of(first)) << what << ", " << target;
  });
}

TEST(LogSumOfIntegers, LiesWithinItsBoundAndHasTheSameBitsOnEveryTarget) {
  for (const dtype type : all_dtypes) {
    if (is_floating(type)) continue;
    for (std::uint64_t k = 0; k < 40; ++k) {
      random_source random = source_of(833, k);
      const auto n = std::int64_t(k == 21 ? 65536 : 1 + random.below(900));
      const auto x = make_plain_array(random, type, hard_orders[k % 10], n);
      std::vector<double> values;
      for (std::int64_t i = 0; i < x.n; ++i) values.push_back(double(x[i]));
      expect_integers(type, x.bytes.data(), values, what_failed(x, hard_orders[k % 10], k));
    }
  }
}

// One element, and others that lie so far below it; with as many as a piece holds their number's
// error counts most.
template <class T>
void expect_distance(int distance, std::int64_t n) {
  std::vector<T> x(std::size_t(n), T(100 - distance));
  x[std::size_t(n) / 2] = 100;
  expect_integers(dtype_of<T>, x.data(), {x.begin(), x.end()},
                  std::to_string(n) + " elements, " + std::to_string(distance) + " apart");
}

TEST(LogSumOfIntegers, KnowsEveryDistance) {
  for (int distance = 0; distance < 80; ++distance) {
    expect_distance<std::int8_t>(distance, 2);
    expect_distance<std::int8_t>(distance, 77);
    expect_distance<std::int16_t>(distance, 77);
    expect_distance<std::int32_t>(distance, 77);
    expect_distance<std::int64_t>(distance, 77);
  }
  for (const int distance : {1, 15, 16, 31, 32, 47, 48})
    expect_distance<std::int8_t>(distance, 65536);
  expect_distance<std::int32_t>(33, 2113);
}

TEST(LogSumOfIntegers, TakesTheFarthestAsNothing) {
  const auto of = []<class T>(std::vector<T> x) {
    return by_task(dtype_of<T>, x.data(), std::int64_t(x.size())).template value<double>();
  };
  EXPECT_EQ(of(std::vector<std::int8_t>{-128, 127, -128}), 127);
  EXPECT_EQ(of(std::vector<std::uint8_t>{0, 255}), 255);
  EXPECT_EQ(of(std::vector<std::int16_t>{-32768, 32767}), 32767);
  EXPECT_EQ(of(std::vector<std::uint16_t>{255, 65535}), 65535);
  EXPECT_EQ(of(std::vector<std::int32_t>{-2147483648, 2147483647, -1}), 2147483647);
  EXPECT_EQ(of(std::vector<std::uint32_t>{0, 4294967295u, 255}), 4294967295.0);
  EXPECT_EQ(of(std::vector<std::int64_t>{INT64_MIN, INT64_MAX, 0}), 0x1p63);
  EXPECT_EQ(of(std::vector<std::uint64_t>{UINT64_MAX, 0, 1}), 0x1p64);
}

TEST(Exponential, HasFixedPointNumbersThatAreRoundedOnce) {
  for (int d = 0; d < exponential::fixed_count; ++d) {
    const long double wanted = std::exp((long double)(-d)) * 0x1p63L;
    EXPECT_LE(std::fabs(wanted - (long double)(exponential::fixed[d])), d < 2 ? 1.0L : 0.7L) << d;
  }
  EXPECT_EQ(exponential::fixed[0], std::uint64_t(1) << 63);
}

TEST(LogSum, SurvivesTheEndsOfTheDoubles) {
  const double most = 0x1.fffffffffffffp1023;
  for (const std::int64_t piece : {1, 2, 4}) {
    const double x[] = {-most, most, -1, most};
    EXPECT_EQ(by_task(dtype::f64, x, 4, piece).value<double>(), most);
    const double y[] = {-most, -most, 0, -most};
    EXPECT_EQ(by_task(dtype::f64, y, 4, piece).value<double>(), 0);
  }
}

TEST(Exponential, HasTheRelativeErrorThatTheBoundCountsOn) {
  const double most = 0.3469;
  EXPECT_LE(relative_error_of_exp(exponential::of, most, 30'000), 2.5 * 0x1p-53);
  EXPECT_LE(relative_error_of_exp(exponential::of, 700, 30'000), 2.5 * 0x1p-53);
  EXPECT_EQ(exponential::of(0), 1);
  EXPECT_EQ(exponential::of(-708.5), 0);
  EXPECT_EQ(exponential::of(-INFINITY), 0);
  EXPECT_GT(exponential::of(-708), 0);
}

TEST(LogSum, ComesBackFromItsWordsWhichArePlausible) {
  for (const dtype type : all_dtypes)
    for (std::uint64_t k = 0; k < 60; ++k) {
      random_source random = source_of(834, k);
      const auto x = make_plain_array(random, type, hard_orders[k % 10], 1 + std::int64_t(k * 7));
      const auto state = by_task(type, x.bytes.data(), x.n, 50);
      std::int64_t words[log_sum::words];
      int n = 0;
      state.for_each_word([&](std::int64_t word) { words[n++] = word; });
      ASSERT_EQ(n, log_sum::words);
      EXPECT_TRUE(log_sum::plausible(words, type)) << what_failed(x, hard_orders[k % 10], k);
      const std::int64_t* next = words;
      EXPECT_EQ(log_sum::from_words([&] { return *next++; }), state);
    }
}

TEST(LogSum, RefusesWordsThatNoElementsLeave) {
  const auto bits = [](double x) { return std::int64_t(as_bits(x)); };
  const auto plausible = [](dtype type, std::initializer_list<std::int64_t> list) {
    std::int64_t words[6];
    std::copy(list.begin(), list.end(), words);
    return log_sum::plausible(words, type);
  };
  EXPECT_TRUE(plausible(dtype::f64, {3, 1, bits(2), bits(1.5), bits(0x1p-54), 0}));
  EXPECT_FALSE(plausible(dtype::i64, {3, 1, bits(2), bits(1.5), 0, 0})) << "NaNs of integers";
  EXPECT_FALSE(plausible(dtype::f64, {1, 1, bits(2), bits(1.5), 0, 0})) << "a sum of NaNs";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, bits(INFINITY), bits(1.5), 0, 0})) << "shift";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, bits(2), bits(-1.5), 0, 0})) << "a negative sum";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, bits(2), bits(0.25), 0, 0})) << "less than one element";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, bits(2), bits(1.5), bits(0.5), 0})) << "overlap";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, bits(2), bits(NAN), 0, 0})) << "NaN";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, bits(2), bits(1.5), bits(NAN), 0})) << "NaN";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, bits(2), 0, 0, 0})) << "a shift of nothing";
  EXPECT_FALSE(plausible(dtype::f64, {3, 3, 0, 0, 0, 1})) << "an infinity among NaNs only";
  EXPECT_FALSE(plausible(dtype::f64, {3, 1, 0, 0, 0, 2})) << "no truth value";
}

}  // namespace
}  // namespace onefold::test
