// SPDX-License-Identifier: Apache-2.0
// The answers of a few floats are rounded correctly, or left to others; the caller's floating-point
// environment changes none, and is not changed.
#include "cpu/tasks/spans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"
#include "support/families.hpp"
#include "support/moments_oracle.hpp"
#include "support/random.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace onefold::test {
namespace {

constexpr op span_ops[] = {op::sum, op::mean, op::norm1,  op::norm2, op::norminf, op::sumsq,
                           op::dot, op::var,  op::stddev, op::min,   op::max};

template <class T>
exact_answer expected(op op, const std::vector<T>& x, const std::vector<T>& y) {
  dot_oracle<T> products;
  moments_oracle<T> moments;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool squares = op == op::sumsq || op == op::norm2;
    products.add(op == op::norm1 ? std::fabs(x[i]) : x[i], op == op::dot ? y[i]
                                                           : squares     ? x[i]
                                                                         : T(1));
    moments.add(x[i]);
  }
  switch (op) {
  case op::mean:
    return moments.mean();
  case op::var:
    return moments.variance(0);
  case op::stddev:
    return moments.deviation(0);
  case op::norm2:
    return products.root();
  default:
    return products.value();
  }
}

// Nearby values, integers, ties, cancellation, zeros, and elements far apart.
template <class T>
T any_element(random_source& random, int kind) {
  switch (kind) {
  case 0:
    return T(random.normal());
  case 1:
    return T(random.between(-8, 8));
  case 2:
    return T(std::ldexp(random.normal(), random.between(-30, 30)));
  case 3:
    return T(1e8 + random.normal());
  case 4:
    return T(std::ldexp(random.one_in(2) ? 1 : -1, random.between(-60, 60)));
  case 5:
    return T(1 + std::ldexp(random.between(0, 3), 1 - std::numeric_limits<T>::digits));
  case 6:
    return any_of_exponent<T>(random, random.between(-140, 120));
  case 7:
    return any_of_exponent<T>(random, random.between(std::numeric_limits<T>::min_exponent - 20,
                                                     std::numeric_limits<T>::max_exponent - 2));
  case 8:
    return T(random.one_in(2) ? random.between(-1, 1) : random.one_in(2) ? -0.0 : 0.0);
  case 9:
    return T(std::ldexp(1, std::numeric_limits<T>::digits - 4) + random.between(0, 2));
  default:
    return T(std::ldexp(random.normal(), std::numeric_limits<T>::min_exponent + 2));
  }
}

template <class T>
std::vector<T> any_elements(random_source& random, std::size_t n) {
  std::vector<T> x(n);
  if (random.one_in(3)) {
    families<T>()[random.below(families<T>().size())].fill(random, x.data(), n);
    return x;
  }
  const int kind = random.between(0, 11);
  const int scale = random.between(std::numeric_limits<T>::min_exponent - 20,
                                   std::numeric_limits<T>::max_exponent - 8);
  for (T& each : x)
    each = kind == 11 ? any_of_exponent<T>(random, scale + random.between(0, 4))
                      : any_element<T>(random, kind);
  if (n > 1 && random.one_in(4)) x[1] = -x[0];
  if (random.one_in(16)) std::fill(x.begin(), x.end(), x[0]);
  return x;
}

template <class T>
void check_random_spans() {
  std::int64_t served = 0;
  const std::int64_t all = cases(30000);
  for (std::int64_t index = 0; index < all; ++index) {
    auto random = source_of(0x7370616e, std::uint64_t(index));
    const auto n = std::size_t(random.one_in(3) ? random.between(1, 4) : random.between(1, 64));
    const auto x = any_elements<T>(random, n);
    const auto y = random.one_in(8) ? x : any_elements<T>(random, n);
    const op op = span_ops[random.below(std::size(span_ops))];
    T answer{};
    if (!cpu::reduce_span(op, x.data(), y.data(), std::int64_t(n), &answer)) continue;
    ++served;
    const std::string text = std::string(name(op)) + " of " + std::to_string(n) + ", case " +
                             std::to_string(index) + ", seed " + std::to_string(seed());
    if (accumulator_of(op) != accumulator::extrema) {
      ASSERT_TRUE(matches<T>(as_bits(answer), expected(op, x, y))) << text;
      continue;
    }
    detail::extrema seen;
    for (const T each : x) seen.add(each, 0);
    const T wanted = op == op::min   ? seen.min<T>(false)
                     : op == op::max ? seen.max<T>(false)
                                     : seen.norminf<T>(false);
    ASSERT_EQ(as_bits(answer), as_bits(wanted)) << text;
  }
  EXPECT_GT(served, all / 3);
}

TEST(spans, of_floats_are_rounded_correctly) {
  check_random_spans<float>();
}
TEST(spans, of_doubles_are_rounded_correctly) {
  check_random_spans<double>();
}

template <class T>
bool is_served(op op, const std::vector<T>& x, const std::vector<T>& y) {
  T answer = -77;
  const bool served = cpu::reduce_span(op, x.data(), y.data(), std::int64_t(x.size()), &answer);
  EXPECT_EQ(answer == -77, !served);
  return served;
}
template <class T>
bool is_served(op op, const std::vector<T>& x) {
  return is_served(op, x, x);
}

// Of a hundred answers, ties of means and of deviations are less than ten.
template <class T>
void check_usual_spans() {
  for (const op op : span_ops) {
    std::int64_t served = 0, all = 0;
    for (; all < 1000; ++all) {
      auto random = source_of(0x7573756c, std::uint64_t(all));
      std::vector<T> x(std::size_t(random.between(1, 64))), y(x.size());
      for (T& each : x) each = T(random.normal());
      for (T& each : y) each = T(random.normal());
      served += is_served(op, x, y);
    }
    EXPECT_GT(served, all * 9 / 10) << name(op);
  }
}

TEST(spans, of_usual_values_are_not_left_to_others) {
  check_usual_spans<float>();
  check_usual_spans<double>();
}

TEST(spans, of_special_values_are_left_to_others) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (const op op : span_ops) {
    EXPECT_FALSE(is_served<double>(op, {1, nan, 2})) << name(op);
    EXPECT_FALSE(is_served<float>(op, {1, float(nan), 2})) << name(op);
    EXPECT_FALSE(is_served<double>(op, {})) << name(op);
    EXPECT_FALSE(is_served<double>(op, std::vector<double>(65, 1.0))) << name(op);
    if (accumulator_of(op) == accumulator::extrema) continue;
    EXPECT_FALSE(is_served<double>(op, {1, infinity, 2})) << name(op);
    EXPECT_FALSE(is_served<double>(op, {infinity, infinity})) << name(op);
    EXPECT_FALSE(is_served<float>(op, {float(infinity)})) << name(op);
    EXPECT_FALSE(is_served<double>(op, {0x1p-1070, 0x1p-1074, 0})) << name(op);
    if (accumulator_of(op) == accumulator::moments) continue;
    EXPECT_FALSE(is_served<double>(op, {0x1p1023, 0x1p1023})) << name(op);
    if (op == op::mean) continue;  // the others overflow
    EXPECT_FALSE(is_served<float>(op, {0x1.fffffep127f, 0x1.fffffep127f, -0x1p127f})) << name(op);
  }
}

template <class T>
std::uint64_t bits_of_served(op op, const std::vector<T>& x) {
  T answer = -77;
  EXPECT_TRUE(cpu::reduce_span(op, x.data(), x.data(), std::int64_t(x.size()), &answer))
      << name(op);
  return as_bits(answer);
}

template <class T>
void check_zeros() {
  const T zero = 0;
  for (const op op : span_ops) {
    if (op == op::dot) continue;
    const bool keeps = op == op::sum || op == op::mean || op == op::min || op == op::max;
    EXPECT_EQ(bits_of_served<T>(op, {-zero, -zero, -zero}), as_bits(keeps ? -zero : zero));
    EXPECT_EQ(bits_of_served<T>(op, {zero, -zero}), as_bits(op == op::min ? -zero : zero));
    EXPECT_EQ(bits_of_served<T>(op, {zero}), as_bits(zero));
  }
  EXPECT_EQ(bits_of_served<T>(op::sum, {3, -1, -2}), as_bits(zero));
  EXPECT_EQ(bits_of_served<T>(op::mean, {-0x1p50, 1, 0x1p50, -1}), as_bits(zero));
  EXPECT_EQ(bits_of_served<T>(op::min, {1, zero, -zero, 2}), as_bits(-zero));
  EXPECT_EQ(bits_of_served<T>(op::max, {-1, -zero}), as_bits(-zero));
}

TEST(spans, of_zeros_have_the_sign_of_the_convention) {
  check_zeros<float>();
  check_zeros<double>();
}

template <class T>
void check_constants() {
  for (const T value :
       {T(0.1), T(-3), std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()})
    for (const std::size_t n : {1, 2, 11, 64})
      for (const op op : {op::var, op::stddev})
        EXPECT_EQ(bits_of_served<T>(op, std::vector<T>(n, value)), 0u) << name(op) << ' ' << n;
}

TEST(spans, of_one_value_have_no_variance) {
  check_constants<float>();
  check_constants<double>();
}

// The distance has one bit too many, so that half of it is a tie of the root.
TEST(spans, of_two_deviate_by_half_of_their_distance) {
  EXPECT_EQ(bits_of_served<double>(op::stddev, {1 + 0x1p-52, -0x1p-53}), as_bits(0.5 + 0x1p-52));
  EXPECT_EQ(bits_of_served<float>(op::stddev, {-0x1p-24f, 1 + 0x1p-23f}), as_bits(0.5f + 0x1p-23f));
  EXPECT_FALSE(is_served<double>(op::stddev, {0x1p-1074, 0x1p-1073}));
}

TEST(spans, of_other_operators_are_left_to_others) {
  for (const op op : all_ops)
    EXPECT_EQ(is_served<double>(op, {1, 2, 4}),
              std::find(std::begin(span_ops), std::end(span_ops), op) != std::end(span_ops))
        << name(op);
}

TEST(spans, near_a_midpoint_are_decided_by_what_is_small) {
  double answer = 0;
  const double up[] = {1, 0x1p-53, 0x1p-100}, tie[] = {1, 0x1p-53},
               down[] = {1, 0x1p-53, -0x1p-100};
  ASSERT_TRUE(cpu::reduce_span(op::sum, up, up, 3, &answer));
  EXPECT_EQ(answer, 1 + 0x1p-52);
  ASSERT_TRUE(cpu::reduce_span(op::sum, tie, tie, 2, &answer));
  EXPECT_EQ(answer, 1);
  ASSERT_TRUE(cpu::reduce_span(op::mean, tie, tie, 2, &answer));
  EXPECT_EQ(answer, 0.5);
  ASSERT_TRUE(cpu::reduce_span(op::sum, down, down, 3, &answer));
  EXPECT_EQ(answer, 1);
  const float near[] = {1, 0x1p-24f, 0x1p-80f};
  float narrow = 0;
  ASSERT_TRUE(cpu::reduce_span(op::sum, near, near, 3, &narrow));
  EXPECT_EQ(narrow, 1 + 0x1p-23f);
  ASSERT_TRUE(cpu::reduce_span(op::sum, near, near, 2, &narrow));
  EXPECT_EQ(narrow, 1);
}

// Too near for plain sums, and no ties: what decides is an element that adds 2^-42 or less.
TEST(spans, of_floats_near_a_midpoint_are_cut) {
  for (const int d : {4097, 5001, 5791}) {
    EXPECT_EQ(bits_of_served<float>(op::var, {float(d), 0x1p-30f}), as_bits(float(d * d - 1) / 4))
        << d;
    EXPECT_EQ(bits_of_served<float>(op::var, {float(d), -0x1p-30f}), as_bits(float(d * d + 1) / 4))
        << d;
  }
  // The root of the first two is 2^24 + 1.
  const std::vector<float> x = {0x1p24f - 1, 8192, 0x1p-15f};
  EXPECT_EQ(bits_of_served<float>(op::norm2, x), as_bits(0x1p24f + 2));
  EXPECT_EQ(bits_of_served<float>(op::mean, {3, 0x3p-24f, 0x1p-50f}), as_bits(1 + 0x1p-23f));
  EXPECT_EQ(bits_of_served<float>(op::mean, {3, 0x3p-24f, -0x1p-50f}), as_bits(1.0f));
}

// Nine integers whose variance has 25 bits: in the middle of two floats. Their mean has thirds, so
// that the squares of the distances are rounded. One vector in 200 is such a one.
TEST(spans, at_ties_of_variances_are_not_certified_by_plain_sums) {
  auto random = source_of(0x746965, 0);
  for (int ties = 0; ties < 50;) {
    std::int64_t sum = 0, squares = 0;
    std::vector<float> x(9);
    for (float& each : x) {
      const int integer = random.between(0, 21000);
      each = float(integer), sum += integer, squares += std::int64_t(integer) * integer;
    }
    const std::int64_t scaled = 9 * squares - sum * sum, variance = scaled / 81;
    if (scaled % 81 != 0 || sum % 9 == 0 || variance % 4 != 2) continue;
    if (variance < 1 << 25 || variance >= 1 << 26) continue;
    ++ties;
    float answer = 0;
    if (cpu::reduce_span(op::var, x.data(), x.data(), 9, &answer)) {
      EXPECT_EQ(answer, float(variance));
    }
    EXPECT_EQ(var(x), float(variance));
  }
}

TEST(spans, neither_follow_nor_change_the_callers_environment) {
  const std::vector<float> x = {1, 0x1p-24f, 0x1p-140f, 3};
  const float wanted = sum(x), root = norm2(x), spread = var(x);
  for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    std::feclearexcept(FE_ALL_EXCEPT);
    const float one = sum(x), two = norm2(x), three = var(x);
    const bool kept = std::fegetround() == mode, quiet = std::fetestexcept(FE_ALL_EXCEPT) == 0;
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(kept && quiet);
    EXPECT_EQ(one, wanted);
    EXPECT_EQ(two, root);
    EXPECT_EQ(three, spread);
  }
#if defined(__SSE2__)
  constexpr unsigned flush = 0x8040;  // FTZ and DAZ
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | flush);
  const float tiny = sum(std::vector<float>{0x1p-140f, 0x1p-141f});
  const bool kept = (_mm_getcsr() & flush) == flush;
  _mm_setcsr(before);
  EXPECT_TRUE(kept);
  EXPECT_EQ(as_bits(tiny), as_bits(0x1.8p-140f));
#endif
}

// reduce() takes this way for two views of one type as well.
TEST(spans, of_products_with_subnormal_factors_are_left_to_others) {
  // The errors of these products by halves of their factors certified a neighbour.
  const std::vector<double> x = {-0x1.8a32e2eb645dbp+436, 0x1.8a32e2eb645dbp+436},
                            y = {0x0.000000fp-1022, 0x0.000000effffffp-1022};
  EXPECT_EQ(dot(x, y), -0x1.8a32e2eb645dbp-638);
  EXPECT_EQ(dot(y, x), -0x1.8a32e2eb645dbp-638);
  EXPECT_EQ(dot(std::vector<double>{0x1.a37b57eece6ebp+820, 0x1.972025ca4p-272, -0x1p-307},
                std::vector<double>{0x0.0001294f3a2c5p-1022, 1, 1}),
            0x1.e72beb66be65ep-218);
  EXPECT_FALSE(is_served<double>(op::dot, {0x1p151, 1}, {0x1p-1070, 1}));
  EXPECT_TRUE(is_served<double>(op::dot, {0x1p148, 1}, {0x1p-1070, 1}));
}

TEST(spans, answer_dot_of_views) {
  const std::vector<double> x = {1, 2, 3}, y = {4, 5, 6};
  EXPECT_EQ(dot(x, y), 32);
  const std::vector<float> mixed = {4, 5, 6};
  EXPECT_EQ(dot(x, mixed), 32);
  const auto refused = try_dot(x, std::vector<double>{1, 2});
  EXPECT_EQ(refused.why().code(), status_code::mismatch);
}

}  // namespace
}  // namespace onefold::test
