// SPDX-License-Identifier: Apache-2.0
// logsumexp of narrow floats: the error of a term, sums at their limits, and every order of a piece
// gives the same state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "cpu/tasks/tasks.hpp"
#include "runtime/float_environment.hpp"
#include "state/exponential_terms.hpp"
#include "support/each_target.hpp"
#include "support/oracle.hpp"
#include "support/plain_order.hpp"
#include "support/real_oracle.hpp"

namespace onefold::test {
namespace {

using detail::log_sum;
using exponential::scale_of;
using exponential::scaled_term;
using exponential::term_powers;

// docs/numerics/logsumexp.md, Theorem 1a and Theorem 4.
constexpr double term_bound = 2.82e-9, bound = 0x1p-28;

template <class T>
log_sum state_of(const std::vector<T>& x) {
  const float_environment sound;
  const auto task = cpu::make_log_sum_task(dtype_of<T>);
  return std::get<log_sum>(task->take({x.data(), nullptr, std::int64_t(x.size()), 0}));
}

double term(double d) {
  const auto found = exponential::term_of(float(d), term_powers);
  return std::ldexp(double(found.value) / 91, found.exponent - 53);
}

TEST(Term, HasTheRelativeErrorThatTheBoundCountsOn) {
  const float_environment sound;
  double worst = 0;
  for (std::int64_t k = 0; k < cases(400'000); ++k) {
    random_source random = source_of(840, std::uint64_t(k));
    // All that count, those next to a change of k, and small ones.
    double wanted = random.unit() * 300 - 172;
    if (k % 3 == 1)
      wanted = (double(random.between(-7900, 5900)) + 0.5 + random.normal() * 1e-4) *
               0.693147180559945 / 32;
    if (k % 3 == 2) wanted = std::ldexp(random.unit() - 0.5, -random.between(0, 40));
    const float d = float(wanted);
    const long double exact = std::exp((long double)(d));
    const double error = double(std::fabs((long double)(term(double(d))) / exact - 1));
    ASSERT_LE(error, term_bound) << "ONEFOLD_TEST_SEED=" << seed() << ", " << k << ", " << d;
    worst = std::max(worst, error);
  }
  std::printf("  largest relative error of a term: 2^%.2f\n", std::log2(worst));
  EXPECT_GE(worst, 0x1p-30) << "the grid misses the worst elements";
}

TEST(Term, OfNothingIsOne) {
  const auto one = exponential::term_of(0, term_powers);
  EXPECT_EQ(one.value, std::uint64_t(91) << 53);
  EXPECT_EQ(one.exponent, 0);
}

TEST(Term, CountsFortyEightBinades) {
  for (const float largest : {0.0f, 1.0f, 127.9f, -128.0f, 1000.0f, -3e30f}) {
    const auto scale = scale_of(largest);
    const float top = largest - scale.origin;
    EXPECT_EQ(scaled_term(scale.least, scale, term_powers), 0u) << largest;
    EXPECT_GE(scaled_term(top, scale, term_powers), std::uint64_t(1) << 46) << largest;
    // 47 binades below the least term of the largest element's binade.
    const float last = float((double(scale.exponent) - 46) * 0.6931471805599453);
    EXPECT_GT(scaled_term(last, scale, term_powers), 0u) << largest;
  }
}

template <class T>
class Terms : public ::testing::Test {};
using narrow_types = ::testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(Terms, narrow_types);

template <class T>
std::vector<T> some_elements(random_source& random, int kind, std::int64_t n) {
  std::vector<T> x(std::size_t(n), T{});
  for (T& each : x) {
    const double normal = random.normal();
    each = chopped<T>(kind == 0   ? normal
                      : kind == 1 ? normal * 30
                      : kind == 2 ? 300 + normal
                      : kind == 3 ? -std::log(double(n)) + normal * 0x1p-12
                                  : random.unit() * 1400 - 700);
    if (kind == 5)
      each = any_of_exponent<T>(random, random.between(1 - ieee<T>::bias, ieee<T>::bias));
  }
  return x;
}

TYPED_TEST(Terms, HaveNoOrderWithinAPiece) {
  std::uint64_t index = 0;
  for (const std::int64_t n : {2, 7, 8, 33, 500, 4099})
    for (int kind = 0; kind < 6; ++kind) {
      random_source random = source_of(841, index++);
      auto x = some_elements<TypeParam>(random, kind, n);
      const std::string where = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", array " +
                                std::to_string(index - 1) + ", kind " + std::to_string(kind);
      on_each_target([&](const std::string& target) {
        const log_sum first = state_of(x);
        for (int turn = 0; turn < 4; ++turn) {
          for (std::size_t i = x.size() - 1; i > 0; --i) std::swap(x[i], x[random.below(i + 1)]);
          EXPECT_EQ(state_of(x), first) << where << ", " << target;
        }
      });
    }
}

// The fullest sum: elements of the last of 32 steps of their binade.
TYPED_TEST(Terms, FitTheirSum) {
  for (const double largest :
       {0.6931471805599453 * 31.49 / 32, 0.0, -0.0108, 80.0, -100.0, 200.0}) {
    const std::vector<TypeParam> x(65536, chopped<TypeParam>(largest));
    const std::vector<double> values(
        x.size(), double(plain_value<TypeParam>(reinterpret_cast<const std::byte*>(x.data()))));
    EXPECT_LE(error_of_log_sum(values, state_of(x).logarithm()), bound) << largest;
  }
}

// An element that the others do not reach is the result, though they are many.
TYPED_TEST(Terms, OfOneElementThatCountsAreThatElement) {
  std::vector<TypeParam> x(65536, chopped<TypeParam>(-40));
  x[77] = chopped<TypeParam>(0x1p-9);
  const log_sum alone = state_of(x);
  EXPECT_EQ(as_bits(alone.template value<TypeParam>()), as_bits(x[77]));
  EXPECT_EQ(alone.logarithm().high, 0x1p-9);
  x[78] = chopped<TypeParam>(-30);  // it reaches that far
  EXPECT_NE(state_of(x), alone);
}

// Logarithms of probabilities that sum to about one: within the absolute bound, not a relative one.
TEST(TermsOfFloats, NearZeroKeepTheAbsoluteBound) {
  double worst = 0;
  for (const std::int64_t n : {2, 3, 10, 1000, 65536}) {
    std::vector<float> x(std::size_t(n), float(-std::log(double(n))));
    const std::vector<double> values(x.begin(), x.end());
    const auto result = state_of(x).logarithm();
    EXPECT_LE(std::fabs(result.high), 1e-6);
    const double error = error_of_log_sum(values, result);
    EXPECT_LE(error, bound) << n;
    worst = std::max(worst, error / std::max(std::fabs(result.high), 1e-300));
  }
  EXPECT_GT(worst, 0x1p-24) << "if these are right to an ulp, the page says too little";
}

}  // namespace
}  // namespace onefold::test
