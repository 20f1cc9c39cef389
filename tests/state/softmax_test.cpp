// SPDX-License-Identifier: Apache-2.0
// What softmax computes of a sum of exponentials: 32 bits, decided by plain sums or not, against
// GMP's integers; the logarithm near zero against long doubles.
#include "state/softmax.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/oracle.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

TEST(softmax_sums, are_rounded_to_32_bits_with_ties_to_even) {
  random_source random = source_of(960, 0);
  for (int i = 0; i < 20000; ++i) {
    const auto whole =
        std::ldexp(double((std::int64_t(1) << 31) + std::int64_t(random.below(1 << 30))), 21);
    const double parts[] = {
        0, 1, 0x1p20 - 1, 0x1p20, 0x1p20 + 1, 0x1p21 - 1, double(random.below(1 << 21))};
    const double part = parts[random.below(7)];
    const double unit = std::ldexp(1.0, random.between(-500, 400));
    const double nearest = std::nearbyint((whole + part) * 0x1p-21) * 0x1p21;
    EXPECT_EQ(detail::softmax_rounded((whole + part) * unit), nearest * unit)
        << "ONEFOLD_TEST_SEED=" << seed();
  }
  EXPECT_EQ(detail::softmax_rounded(0x1.fffffffffffffp+9), 0x1p10);
  EXPECT_EQ(detail::softmax_rounded(0), 0);
}

struct plain_sum {
  double sum = 0;
  std::int64_t depth = 0;
};
// A sum by a random tree.
plain_sum sum_of(const double* x, std::int64_t n, random_source& random) {
  if (n == 1) return {x[0], 0};
  const std::int64_t cut =
      random.one_in(2) ? 1 : 1 + std::int64_t(random.below(std::uint64_t(n - 1)));
  const plain_sum a = sum_of(x, cut, random), b = sum_of(x + cut, n - cut, random);
  return {a.sum + b.sum, std::max(a.depth, b.depth) + 1};
}

// The exact sum to 32 bits.
double wanted_sum(const std::vector<double>& x) {
  mpz_class total;
  for (const double one : x) total += mpz_class(std::ldexp(one, 500));
  const double sum = as_float<double>(rounded<double>(total, -500));
  int exponent = 0;
  std::frexp(sum, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(sum, 32 - exponent)), exponent - 32);
}

TEST(softmax_sums, that_are_decided_are_the_exact_ones) {
  int decided = 0, ties = 0, open = 0;
  for (std::uint64_t k = 0; k < 4000; ++k) {
    random_source random = source_of(961, k);
    std::vector<double> x;
    for (std::uint64_t n = 1 + random.below(60); n > 0; --n)
      x.push_back(detail::exponential(float(random.normal() * (k % 3 ? 3 : 40))));
    if (k % 2 == 0) {
      // A last term that takes the sum next to a tie of 32 bits.
      double sum = 0;
      for (const double one : x) sum += one;
      int exponent = 0;
      std::frexp(sum, &exponent);
      const double tie =
          (std::floor(std::ldexp(sum, 32 - exponent)) + 1.5) * std::ldexp(1.0, exponent - 32);
      x.push_back(tie - sum + std::ldexp(double(random.between(-40, 40)), exponent - 53));
    }
    const plain_sum sum = sum_of(x.data(), std::int64_t(x.size()), random);
    const double got = detail::decided_sum(sum.sum, sum.depth);
    if (got >= 0) EXPECT_EQ(got, wanted_sum(x)) << "ONEFOLD_TEST_SEED=" << seed() << ", " << k;
    ++(k % 2 == 0 ? (got < 0 ? open : ties) : decided);
    if (k % 2 != 0 && got < 0) --decided;
  }
  EXPECT_GT(decided, 1900);
  EXPECT_GT(open, 500);
  EXPECT_GT(ties, 50);
  EXPECT_EQ(detail::decided_sum(0, 100), 0);
}

TEST(softmax_logarithms, near_zero_are_precise) {
  double worst = 0;
  for (std::uint64_t k = 0; k < 20000; ++k) {
    random_source random = source_of(962, k);
    const double own = std::exp(50 * random.normal());
    const double rest = own * std::ldexp(0.65 * random.unit(), -int(random.below(k % 2 ? 300 : 4)));
    const long double wanted = -std::log1p((long double)(rest) / own);
    const double got = detail::logarithm_near_zero(own, rest);
    worst = std::max(worst, double(std::fabs((got - wanted) / wanted)));
  }
  EXPECT_LE(worst, 0x1p-40);
  EXPECT_EQ(as_bits(detail::logarithm_near_zero(3, 0)), 0u);
}

}  // namespace
}  // namespace onefold::test
