// SPDX-License-Identifier: Apache-2.0
// Sums in all their digits against rational arithmetic. ONEFOLD_TEST_SEED repeats a run.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "onefold/onefold.hpp"
#include "state/decimal_oracle.hpp"
#include "support/random.hpp"

namespace onefold {
namespace {

constexpr op sums[] = {op::sum, op::norm1, op::sumsq};

template <class T>
std::string digits_of(op op, const std::vector<T>& x, nan_policy nan = nan_policy::propagate) {
  windows all({}, op, dtype_of<T>);
  EXPECT_TRUE(all.add(x));
  return all.partial().value().decimal({.nan_policy = nan});
}

template <class T>
mpq_class exact(T value) {
  if constexpr (std::is_integral_v<T>)
    return mpq_class(mpz_class(std::to_string(value)));
  else
    return mpq_class(double(value));
}

template <class T>
mpq_class exact_sum_of(op op, const std::vector<T>& x) {
  mpq_class sum = 0;
  for (const T each : x) {
    const mpq_class value = exact(each);
    if (op == op::sum)
      sum += value;
    else
      sum += op == op::norm1 ? mpq_class(abs(value)) : mpq_class(value * value);
  }
  return sum;
}

template <class T>
void check_random() {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 200; ++round) {
    std::vector<T> x;
    const int shift = int(random() % (8 * sizeof(T)));
    for (auto n = random() % 20; n > 0; --n) {
      const T value = std::bit_cast<T>(bits(bits(random()) >> (round % 2 ? shift : 0)));
      if (!std::isfinite(double(value))) continue;
      x.push_back(value);
      if (random() % 4 == 0 && value != std::numeric_limits<T>::lowest()) x.push_back(T(-value));
    }
    for (const op op : sums)
      EXPECT_EQ(test::decimal_value(digits_of(op, x)), exact_sum_of(op, x))
          << name(op) << " ONEFOLD_TEST_SEED=" << test::seed();
  }
}

TEST(state_decimal, has_all_digits_of_a_sum_of_binary64) {
  check_random<double>();
}
TEST(state_decimal, has_all_digits_of_a_sum_of_binary32) {
  check_random<float>();
}
TEST(state_decimal, has_all_digits_of_a_sum_of_integers) {
  check_random<std::int64_t>();
  check_random<std::uint64_t>();
  check_random<std::int32_t>();
}

TEST(state_decimal, writes_known_sums) {
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{0.1}),
            "0.1000000000000000055511151231257827021181583404541015625");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{1e16, 1, -0.5}), "10000000000000000.5");
  EXPECT_EQ(digits_of(op::sum, std::vector<std::int64_t>{INT64_MAX, INT64_MAX}),
            "18446744073709551614");
  EXPECT_EQ(digits_of(op::sumsq, std::vector<std::int64_t>{INT64_MIN}),
            "85070591730234615865843651857942052864");
  EXPECT_EQ(digits_of(op::sum, std::vector<f16>{f16{0x0001}}), "0.000000059604644775390625");
  EXPECT_EQ(digits_of(op::norm1, std::vector<bf16>{bf16{0xbf80}, bf16{0x3f80}}), "2");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{}), "0");
}

TEST(state_decimal, has_the_special_values_of_the_rounded_sum) {
  const double inf = HUGE_VAL, nan = std::nan("");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{-0.0, -0.0}), "-0");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{-0.0, 0.0}), "0");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{inf, 1}), "inf");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{-inf, 1}), "-inf");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{-inf, inf}), "nan");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{nan, 1}), "nan");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{nan, 1.5}, nan_policy::omit), "1.5");
  EXPECT_EQ(digits_of(op::sum, std::vector<double>{nan, -0.0}, nan_policy::omit), "-0");
  EXPECT_THROW(digits_of(op::sum, std::vector<double>{nan}, nan_policy::error), error);
}

TEST(state_decimal, is_of_sums_alone) {
  for (const op op : {op::mean, op::norm2, op::max, op::var, op::prod, op::count})
    EXPECT_THROW(digits_of(op, std::vector<double>{1, 2}), error) << name(op);
  state products(op::dot, dtype::f32);
  EXPECT_EQ(products.decimal(), "0");
}

}  // namespace
}  // namespace onefold
