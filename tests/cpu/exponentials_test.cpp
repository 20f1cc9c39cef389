// SPDX-License-Identifier: Apache-2.0
// logsumexp within its bound of MPFR's; the same state from every order, cut and SIMD target, and
// from a loop over the elements; bands; infinities, NaN, integers; E and the logarithm alone;
// words.
#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "cpu/exponentials.hpp"
#include "state/exponential.hpp"
#include "state/plausible.hpp"
#include "support/each_target.hpp"
#include "support/oracle.hpp"
#include "support/real_oracle.hpp"

namespace onefold::test {
namespace {

using detail::exponential_sum;
using detail::scaled_pair;

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
std::vector<T> shuffled(std::vector<T> x, random_source& random) {
  for (std::size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[random.below(i)]);
  return x;
}

template <class T>
class exponentials : public ::testing::Test {};
using float_types = ::testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(exponentials, float_types);

TYPED_TEST(exponentials, are_within_their_bound_in_any_order_on_every_target) {
  using T = TypeParam;
  std::uint64_t index = 0;
  double worst = 0;
  for (const std::int64_t n : {1, 2, 3, 63, 64, 65, 200, 1023, 1024, 1025, 2113, 5000})
    for (const exponents kind : all_exponents) {
      random_source random = source_of(831, index++);
      const auto x = make_elements<T>(random, kind, n);
      const std::int64_t piece = 1 + std::int64_t(random.below(3000));
      const std::string context = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", array " +
                                  std::to_string(index - 1) + ", kind " +
                                  std::to_string(int(kind)) + ", " + std::to_string(n) + " by " +
                                  std::to_string(piece);
      const sum_of<T> wanted = by_adding(x);
      const scaled_pair result = wanted.logarithm();
      const double error = error_of_log_sum(doubles_of(x), result);
      EXPECT_LE(error, bound<T>(result)) << context;
      worst = std::max(worst, error - std::fabs(result.high) * 0x1p-100);
      if (wanted.finite_count() > 1) {
        const auto [total, exponent] = exact(result);
        EXPECT_EQ(hex(as_bits(wanted.template value<T>())), hex(rounded<T>(total, int(exponent))))
            << context;
      }
      on_each_target([&](const std::string& target) {
        EXPECT_TRUE(by_task(x.data(), n, piece) == wanted) << context << ", " << target;
        const auto other = shuffled(x, random);
        const auto cut = std::int64_t(random.below(std::uint64_t(n + 1)));
        sum_of<T> parts = by_task(other.data() + cut, n - cut);
        parts.merge(by_task(other.data(), cut, piece));
        EXPECT_TRUE(parts == wanted) << context << ", " << target << ", cut at " << cut;
      });
    }
  std::printf("  largest error of %s: 2^%.1f\n", ieee<T>::name.data(), std::log2(worst));
}

// Of -0 it is +0.
TYPED_TEST(exponentials, of_one_element_are_that_element) {
  using T = TypeParam;
  const auto minus = as_float<T>(bits_of<T>(ieee<T>::sign | ieee<T>::infinity));
  for (std::int64_t k = 0; k < cases(5000); ++k) {
    random_source random = source_of(832, std::uint64_t(k));
    const T x[] = {minus, any_of_exponent<T>(random, random.between(-ieee<T>::bias, ieee<T>::bias)),
                   minus};
    const auto expected = magnitude_bits(x[1]) == 0 ? bits_of<T>(0) : as_bits(x[1]);
    EXPECT_EQ(as_bits(by_task(x + 1, 1).template value<T>()), expected) << hex(as_bits(x[1]));
    EXPECT_EQ(as_bits(by_task(x, 3).template value<T>()), expected) << hex(as_bits(x[1]));
  }
}

TYPED_TEST(exponentials, treat_infinities_and_nan_by_their_meaning) {
  using format = ieee<TypeParam>;
  const auto minus = as_float<TypeParam>(bits_of<TypeParam>(format::sign | format::infinity));
  const auto plus = as_float<TypeParam>(format::infinity), nan = as_float<TypeParam>(format::nan);
  const auto one = make<TypeParam>(false, 0, 0);
  const auto logarithm = [](std::vector<TypeParam> x, bool omit) {
    std::vector<bits_of<TypeParam>> seen;
    for (const std::int64_t piece : {1, 2, 65536}) {
      const auto state = by_task(x.data(), std::int64_t(x.size()), piece);
      seen.push_back(as_bits(state.template value<TypeParam>(omit)));
      EXPECT_EQ(seen.back(), seen.front()) << piece;
    }
    return seen.front();
  };
  EXPECT_EQ(logarithm({minus, minus, minus}, false), as_bits(minus));
  EXPECT_EQ(logarithm({minus, one, minus}, false), as_bits(one));
  EXPECT_EQ(logarithm({one, plus, minus}, false), as_bits(plus));
  EXPECT_EQ(logarithm({one, plus, nan}, false), format::nan);
  EXPECT_EQ(logarithm({one, plus, nan}, true), as_bits(plus));
  EXPECT_EQ(logarithm({nan, one, nan}, true), as_bits(one));
  EXPECT_EQ(logarithm({nan, nan}, true), as_bits(minus));
  EXPECT_EQ(logarithm({nan, minus}, true), as_bits(minus));
  EXPECT_EQ(logarithm({nan, minus}, false), format::nan);
  EXPECT_EQ(as_bits(sum_of<TypeParam>{}.template value<TypeParam>()), as_bits(minus));
}

TYPED_TEST(exponentials, count_specials_on_every_target) {
  using T = TypeParam;
  using format = ieee<T>;
  for (std::uint64_t k = 0; k < 50; ++k) {
    random_source random = source_of(836, k);
    std::vector<T> x = make_elements<T>(random, all_exponents[k % 9], 1 + std::int64_t(k * 3));
    const T specials[] = {as_float<T>(format::infinity), as_float<T>(format::nan),
                          as_float<T>(bits_of<T>(format::sign | format::infinity)),
                          as_float<T>(bits_of<T>(format::sign | (format::nan + 1)))};
    for (T& element : x)
      if (random.one_in(3)) element = specials[random.below(4)];
    const sum_of<T> wanted = by_adding(x);
    on_each_target([&](const std::string& target) {
      EXPECT_TRUE(by_task(x.data(), std::int64_t(x.size()), 60) == wanted)
          << target << ", ONEFOLD_TEST_SEED=" << seed() << ", array " << k;
    });
  }
}

// Elements about the edges of bands, and of bands next to each other and far apart.
template <class T>
std::vector<T> make_bands(random_source& random, std::int64_t n) {
  const double unit = random.one_in(4) ? std::exp2(random.between(9, 60)) : 256;
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) {
    const double edge = unit * double(random.between(-9, 9));
    const T element = T(edge);
    const int step = int(random.below(4));
    x.push_back(step == 0                       ? std::nextafter(element, T(INFINITY))
                : step == 1                     ? std::nextafter(element, T(-INFINITY))
                : step == 2 && random.one_in(4) ? T(-INFINITY)
                                                : element);
  }
  return x;
}

template <class T>
void check_bands() {
  for (std::int64_t k = 0; k < cases(400); ++k) {
    random_source random = source_of(835, std::uint64_t(k));
    const auto x = make_bands<T>(random, 1 + std::int64_t(random.below(40)));
    const auto n = std::int64_t(x.size());
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", array " + std::to_string(k));
    const sum_of<T> wanted = by_adding(x);
    if (wanted.finite_count() > 0) {
      std::vector<double> finite;
      for (const T element : x)
        if (element > T(-INFINITY)) finite.push_back(element);
      const scaled_pair result = wanted.logarithm();
      ASSERT_LE(error_of_log_sum(finite, result), bound<T>(result));
    }
    const auto cut = std::int64_t(random.below(std::uint64_t(n + 1)));
    const auto other = shuffled(x, random);
    on_each_target([&](const std::string& target) {
      const sum_of<T> first = by_task(other.data(), cut),
                      second = by_task(other.data() + cut, n - cut);
      sum_of<T> whole = first;
      whole.merge(second);
      ASSERT_TRUE(whole == wanted) << target;
      ASSERT_TRUE(by_task(x.data(), n, 7) == wanted) << target;
      ASSERT_TRUE(whole.subtract(first)) << target;
      if (whole.unknown())
        ASSERT_GT(second.finite_count(), 0) << target;
      else
        ASSERT_TRUE(whole == second) << target;
    });
  }
}

TEST(exponential_bands, do_not_depend_on_the_order_and_subtract) {
  check_bands<float>();
  check_bands<double>();
}

TEST(exponential_bands, are_exact) {
  const auto expect = [](auto x, auto band, auto rest) {
    const auto found = detail::banded_of(x);
    EXPECT_EQ(found.band, band) << x;
    EXPECT_EQ(found.rest, rest) << x;
    EXPECT_FALSE(std::signbit(found.band) && found.band == 0) << x;
  };
  expect(-0.0, 0.0, -0.0), expect(256.0, 0.0, 256.0), expect(-256.0, 0.0, -256.0);
  expect(768.0, 2.0, -256.0), expect(-768.0, -2.0, 256.0), expect(257.0, 1.0, -255.0);
  expect(0x1p61 + 512, 0x1p52 + 1, 0.0),
      expect(0x1.fffffffffffffp1023, 0x1.fffffffffffffp1014, 0.0);
  expect(0x1p-1074, 0.0, 0x1p-1074), expect(-1e-300, 0.0, -1e-300);
  expect(-256.f, 0.f, -256.f), expect(0x1.fffffep127f, 0x1.fffffep118f, 0.f);
  expect(256.00003f, 1.f, 256.00003f - 512), expect(-1e-40f, 0.f, -1e-40f);
}

// What remains is known unless all of the highest band is removed after lower ones were dropped.
TEST(exponential_bands, remember_what_was_dropped) {
  exponential_sum<double> all, high, low;
  for (const double x : {5000.0, 5001.0}) all.add(x), high.add(x);
  for (const double x : {-5000.0, -5300.0}) all.add(x), low.add(x);
  EXPECT_EQ(all.dropped(), 2);
  exponential_sum<double> left = all;
  ASSERT_TRUE(left.subtract(low));
  EXPECT_TRUE(left == high);
  left = all;
  ASSERT_TRUE(left.subtract(high));
  EXPECT_TRUE(left.unknown());
  left = high;
  EXPECT_FALSE(left.unknown());
  ASSERT_TRUE(left.subtract(high));
  EXPECT_TRUE(left == exponential_sum<double>{});
}

template <class T>
void expect_integers(const T* x, std::int64_t n, const std::string& context) {
  exponential_sum<double> wanted;
  std::vector<double> values;
  for (std::int64_t i = 0; i < n; ++i) {
    double value;
    if constexpr (std::is_same_v<T, bool>)  // any byte but 0 is true
      value = reinterpret_cast<const std::uint8_t*>(x)[i] != 0;
    else
      value = double(x[i]);
    wanted.add(value), values.push_back(value);
  }
  const scaled_pair result = wanted.logarithm();
  EXPECT_LE(error_of_log_sum(values, result), bound<double>(result)) << context;
  on_each_target([&](const std::string& target) {
    EXPECT_TRUE(by_task(x, n) == wanted) << context << ", " << target;
  });
}

// A task that has drained begins anew: with elements of a lower band, too.
TEST(exponential_bands, begin_anew_after_a_drain) {
  const auto task = cpu::make_exponentials_task(dtype::f64);
  for (const double x : {1500.0, -700.0, 1.0, -1e300}) {
    any_state one = empty_state(accumulator::exponentials, dtype::f64);
    task->take({&x, nullptr, 1, 0});
    task->drain(one);
    EXPECT_EQ(std::get<exponential_sum<double>>(one).value(), x);
  }
}

TEST(exponentials_of_integers, are_within_their_bound_on_every_target) {
  for (const dtype type : all_dtypes) {
    if (is_floating(type)) continue;
    for (std::uint64_t k = 0; k < 20; ++k) {
      random_source random = source_of(833, k);
      const auto n = 1 + std::int64_t(random.below(2500));
      const auto x = make_plain_array(random, type, hard_orders[k % 10], n);
      with_type(type, [&]<class T>(detail::tag<T>) {
        if constexpr (std::is_integral_v<T>)
          expect_integers(reinterpret_cast<const T*>(x.bytes.data()), n,
                          what_failed(x, hard_orders[k % 10], k));
      });
    }
  }
}

TEST(exponentials_of_integers, take_the_farthest_as_nothing) {
  const auto logarithm = []<class T>(std::vector<T> x) {
    return by_task(x.data(), std::int64_t(x.size())).template value<double>();
  };
  EXPECT_EQ(logarithm(std::vector<std::int8_t>{-128, 127, -128}), 127);
  EXPECT_EQ(logarithm(std::vector<std::uint8_t>{0, 255}), 255);
  EXPECT_EQ(logarithm(std::vector<std::int16_t>{-32768, 32767}), 32767);
  EXPECT_EQ(logarithm(std::vector<std::uint16_t>{255, 65535}), 65535);
  EXPECT_EQ(logarithm(std::vector<std::int32_t>{-2147483648, 2147483647, -1}), 2147483647);
  EXPECT_EQ(logarithm(std::vector<std::uint32_t>{0, 4294967295u, 255}), 4294967295.0);
  EXPECT_EQ(logarithm(std::vector<std::int64_t>{INT64_MIN, INT64_MAX, 0}), 0x1p63);
  EXPECT_EQ(logarithm(std::vector<std::uint64_t>{UINT64_MAX, 0, 1}), 0x1p64);
}

TEST(exponential, has_the_relative_error_that_the_bound_counts_on) {
  const auto of_float = [](double x) { return detail::exponential(float(x)); };
  const auto of_double = [](double x) { return detail::exponential(x); };
  for (const double radius : {0x1p-4, 256.0}) {
    EXPECT_LE(relative_error_of_exp(of_double, radius, 30'000), 2.1 * 0x1p-53);
    EXPECT_LE(relative_error_of_exp(of_float, radius, 1 << 15), std::exp2(-29.8));  // floats
  }
  EXPECT_EQ(detail::exponential(0.0), 1);
  EXPECT_EQ(detail::exponential(0.f), 1);
  EXPECT_GT(detail::exponential(-256.0), 0x1p-370);
  EXPECT_LT(detail::exponential(256.f), 0x1p370);
}

template <class T>
class exponential_words : public ::testing::Test {};
TYPED_TEST_SUITE(exponential_words, float_types);

TYPED_TEST(exponential_words, are_read_back_and_plausible) {
  using T = TypeParam;
  for (std::uint64_t k = 0; k < 100; ++k) {
    random_source random = source_of(834, k);
    const auto x = make_elements<T>(random, all_exponents[k % 9], 1 + std::int64_t(k * 7));
    const auto state = by_task(x.data(), std::int64_t(x.size()));
    std::int64_t words[sum_of<T>::words];
    int n = 0;
    state.for_each_word([&](std::int64_t word) { words[n++] = word; });
    ASSERT_EQ(n, sum_of<T>::words);
    EXPECT_TRUE(plausible_words<sum_of<T>>(words, op::logsumexp, dtype_of<T>)) << k;
    const std::int64_t* next = words;
    EXPECT_TRUE(sum_of<T>::from_words([&] { return *next++; }) == state);
  }
}

TEST(exponential_words, that_no_elements_leave_are_refused) {
  exponential_sum<double> state;
  for (const double x : {1.5, -700.0, 2.0, double(NAN)}) state.add(x);
  const auto refused = [&](int word, std::int64_t value, dtype type = dtype::f64) {
    std::int64_t words[exponential_sum<double>::words], *end = words;
    state.for_each_word([&](std::int64_t each) { *end++ = each; });
    words[word] = value;
    return !plausible_words<exponential_sum<double>>(words, op::logsumexp, type);
  };
  const auto bits = [](double x) { return std::int64_t(as_bits(x)); };
  EXPECT_FALSE(refused(0, 4));
  EXPECT_TRUE(refused(0, 3)) << "fewer elements than in the bands";
  EXPECT_TRUE(refused(0, 4, dtype::i64)) << "NaNs of integers";
  EXPECT_TRUE(refused(1, -1)) << "a count below zero";
  EXPECT_TRUE(refused(5, bits(0.5))) << "half a band";
  EXPECT_TRUE(refused(5, bits(NAN))) << "no band";
  EXPECT_TRUE(refused(6, 0)) << "a sum of nothing";
  EXPECT_TRUE(refused(7, std::int64_t(1) << 32)) << "no limb";
  EXPECT_TRUE(refused(6 + detail::band_sum::limbs, 1)) << "a sum beyond all elements";
}

}  // namespace
}  // namespace onefold::test
