// SPDX-License-Identifier: Apache-2.0
// Directed rounding: each word against the processor's own rounding modes.

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "simt/simt.hpp"
#include "support/random.hpp"

namespace onefold::simt::test {
namespace {

std::uint64_t bits(double x) {
  return std::isnan(x) ? 0 : std::bit_cast<std::uint64_t>(x);
}

// The operation in a mode of the processor. Volatile: neither folded nor moved over the mode.
template <class F>
double in_mode(int mode, F operation, double a, double b) {
  volatile double x = a, y = b;
  std::fesetround(mode);
  volatile double result = operation(x, y);
  std::fesetround(FE_TONEAREST);
  return result;
}

const double specials[] = {0.0,
                           -0.0,
                           1,
                           -1,
                           3,
                           1 + DBL_EPSILON,
                           DBL_MAX,
                           -DBL_MAX,
                           DBL_MAX / 2,
                           DBL_MIN,
                           -DBL_MIN,
                           3 * DBL_TRUE_MIN,
                           DBL_TRUE_MIN,
                           -DBL_TRUE_MIN,
                           0x1p-54,
                           -0x1p-54,
                           0x1p970,
                           -0x1p970,
                           0x1.fffffep127,
                           0x1.ffffffp127,
                           0x1p-150,
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()};

class operands {
 public:
  // Of any bits, of near exponents, or special.
  double next() {
    const std::uint64_t any = random_();
    if (any % 8 == 0) return specials[random_() % std::size(specials)];
    if (any % 8 < 4) return std::bit_cast<double>(random_());
    return std::ldexp(double(std::int64_t(random_())), int(any >> 8 & 127) - 64);
  }

 private:
  std::mt19937_64 random_{onefold::test::seed()};
};

template <class Word, class Operation>
void compare(const char* name, int mode, Word word, Operation operation) {
  operands next;
  constexpr std::size_t count = std::size(specials);
  for (std::size_t i = 0; i < count * count + 200000; ++i) {
    const bool named = i < count * count;
    const double a = named ? specials[i / count] : next.next();
    const double b = named ? specials[i % count] : next.next();
    ASSERT_EQ(bits(word(a, b)), bits(in_mode(mode, operation, a, b)))
        << name << " of " << std::hexfloat << a << ", " << b
        << ", ONEFOLD_TEST_SEED=" << onefold::test::seed();
  }
}

double sum(volatile double& a, volatile double& b) {
  return a + b;
}
double product(volatile double& a, volatile double& b) {
  return a * b;
}
double quotient(volatile double& a, volatile double& b) {
  return a / b;
}
double root(volatile double& a, volatile double&) {
  return std::sqrt(a);
}
double float_sum(volatile double& a, volatile double& b) {
  volatile float x = float(a), y = float(b), result = x + y;
  return result;
}
// Of floats, whose product is a double.
double float_fma(volatile double& a, volatile double& b) {
  volatile float x = float(a), y = float(b);
  return std::fma(double(x), double(y), b);
}
double fma_of(volatile double& a, volatile double& b, volatile double& c) {
  return std::fma(a, b, c);
}
double narrow(volatile double& a, volatile double&) {
  volatile float result = float(a);
  return result;
}

TEST(directed_words, are_the_processors) {
  compare(
      "__dadd_ru", FE_UPWARD, [](double a, double b) { return __dadd_ru(a, b); }, sum);
  compare(
      "__dadd_rd", FE_DOWNWARD, [](double a, double b) { return __dadd_rd(a, b); }, sum);
  compare(
      "__dmul_ru", FE_UPWARD, [](double a, double b) { return __dmul_ru(a, b); }, product);
  compare(
      "__dmul_rd", FE_DOWNWARD, [](double a, double b) { return __dmul_rd(a, b); }, product);
  compare(
      "__ddiv_ru", FE_UPWARD, [](double a, double b) { return __ddiv_ru(a, b); }, quotient);
  compare(
      "__ddiv_rd", FE_DOWNWARD, [](double a, double b) { return __ddiv_rd(a, b); }, quotient);
  compare(
      "__dsqrt_ru", FE_UPWARD, [](double a, double) { return __dsqrt_ru(a); }, root);
  compare(
      "__dsqrt_rd", FE_DOWNWARD, [](double a, double) { return __dsqrt_rd(a); }, root);
  compare(
      "__fadd_ru", FE_UPWARD,
      [](double a, double b) {
        return double(__fadd_ru(__double2float_ru(a), __double2float_ru(b)));
      },
      float_sum);
  compare(
      "__fma_ru of floats", FE_UPWARD,
      [](double a, double b) {
        return __fma_ru(double(__double2float_ru(a)), double(__double2float_ru(b)), b);
      },
      float_fma);
  const auto up = [](double a, double) { return double(__double2float_ru(a)); };
  const auto down = [](double a, double) { return double(__double2float_rd(a)); };
  const auto to_zero = [](double a, double) { return double(__double2float_rz(a)); };
  compare("__double2float_ru", FE_UPWARD, up, narrow);
  compare("__double2float_rd", FE_DOWNWARD, down, narrow);
  compare("__double2float_rz", FE_TOWARDZERO, to_zero, narrow);
}

// Of any doubles, and of products that are as large as the third one, or nearly cancel it, also
// where they underflow or overflow.
TEST(directed_words, of_three_operands_are_the_processors) {
  operands next;
  for (int i = 0; i < 600000; ++i) {
    const double a = next.next(), b = next.next();
    double c = next.next();
    if (i % 3 == 1) c = -a * b;
    if (i % 3 == 2) c = std::ldexp(c, std::ilogb(a) + std::ilogb(b) - std::ilogb(c));
    volatile double x = a, y = b, z = c;
    std::fesetround(FE_UPWARD);
    volatile double wanted = fma_of(x, y, z);
    std::fesetround(FE_TONEAREST);
    ASSERT_EQ(bits(__fma_ru(a, b, c)), bits(wanted))
        << std::hexfloat << a << " * " << b << " + " << c
        << ", ONEFOLD_TEST_SEED=" << onefold::test::seed();
  }
}

// Products far below the least double are rounded to it, or to zero.
TEST(directed_words, of_products_that_underflow_keep_their_side) {
  for (const double z : {0.0, -0.0, 0x1p-1074, -0x1p-1074, 1.0}) {
    EXPECT_EQ(bits(__fma_ru(0x1p-600, 0x1p-900, z)),
              bits(std::nextafter(z, std::numeric_limits<double>::infinity())));
    EXPECT_EQ(bits(__fma_ru(-0x1p-600, 0x1p-900, z)), bits(z == 0 ? -0.0 : z));
  }
}

}  // namespace
}  // namespace onefold::simt::test
