// SPDX-License-Identifier: Apache-2.0
// The sum of decimals against rational arithmetic. ONEFOLD_TEST_SEED repeats a run.
#include "onefold/decimal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>

#include "decimal_oracle.hpp"
#include "support/random.hpp"

namespace onefold {
namespace {

using test::decimal_maker;
using test::decimal_value;
using test::nearest;
using test::seed;

decimal_sum sum_of(const std::vector<std::string>& numbers) {
  decimal_sum sum;
  for (const auto& number : numbers) EXPECT_TRUE(sum.add(number)) << number;
  return sum;
}

// -0 and NaN count: bits, not values.
void expect_same(double expected, double got, const std::string& context) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(expected), std::bit_cast<std::uint64_t>(got))
      << "ONEFOLD_TEST_SEED=" << seed() << ": " << context << ": expected " << std::hexfloat
      << expected << ", got " << got;
}

std::string joined(const std::vector<std::string>& numbers) {
  std::string out;
  for (const auto& number : numbers) out += number.substr(0, 200) + " ";
  return out;
}

void expect_all_answers(const decimal_sum& sum, const mpq_class& exact,
                        const std::string& context) {
  const auto n = static_cast<unsigned long>(sum.count());
  const mpq_class mean = exact / mpq_class(n);
  expect_same(nearest<double>(exact), sum.value(), context);
  expect_same(nearest<float>(exact), sum.value_f32(), context + "as binary32");
  expect_same(nearest<double>(mean), sum.mean(), context + "as mean");
  expect_same(nearest<float>(mean), sum.mean_f32(), context + "as binary32 mean");
  EXPECT_EQ(decimal_value(sum.to_string()), exact) << context;
  // A fraction in lowest terms has digits that end iff its denominator divides a power of ten.
  mpz_class rest = mean.get_den();
  for (const unsigned long prime : {2ul, 5ul})
    while (rest % prime == 0) rest /= prime;
  const auto digits = sum.mean_to_string();
  EXPECT_EQ(digits.has_value(), rest == 1) << context;
  if (digits) {
    EXPECT_EQ(decimal_value(*digits), mean) << context;
  }
}

TEST(decimal_sum, writes_means_that_end_in_full) {
  EXPECT_EQ(sum_of({"1", "2"}).mean_to_string(), "1.5");
  EXPECT_EQ(sum_of({"0.10", "0.30"}).mean_to_string(), "0.2");
  EXPECT_EQ(sum_of({"-1e30", "0"}).mean_to_string(), "-500000000000000000000000000000");
  EXPECT_EQ(sum_of({"1", "0", "0"}).mean_to_string(), std::nullopt);
  EXPECT_EQ(sum_of({"-0", "-0.0"}).mean_to_string(), "-0");
  EXPECT_EQ(sum_of({"1", "-1"}).mean_to_string(), "0");
  EXPECT_EQ(sum_of({"1", "inf"}).mean_to_string(), "inf");
  EXPECT_EQ(decimal_sum().mean_to_string(), std::nullopt);
  decimal_sum sum;  // 2^-62 has 62 digits after the point
  sum.add_total(1, 0, std::int64_t(1) << 62);
  EXPECT_EQ(sum.mean_to_string(),
            "0.00000000000000000021684043449710088680149056017398834228515625");
}

TEST(decimal_sum, of_tenths_is_in_tenths) {
  expect_same(0.3, sum_of({"0.1", "0.2"}).value(), "0.1 + 0.2");
  EXPECT_EQ(sum_of({"0.1", "0.2"}).to_string(), "0.3");
  EXPECT_EQ(sum_of({"1.50", "1.50"}).to_string(), "3");
  EXPECT_EQ(sum_of({"1e308", "1e308", "-1e308"}).value(), 1e308);
  EXPECT_EQ(sum_of({"1e400", "-1e400", "5."}).to_string(), "5");
  EXPECT_EQ(sum_of({"1e5", "-.5e-3"}).to_string(), "99999.9995");
}

TEST(decimal_sum, of_zeros_has_the_sign_of_its_numbers) {
  expect_same(0.0, decimal_sum().value(), "nothing");
  expect_same(-0.0, sum_of({"-0"}).value(), "-0");
  expect_same(-0.0, sum_of({"-0.00", "-0e7", "-.0"}).mean(), "only -0");
  expect_same(0.0, sum_of({"-0", "0"}).value(), "-0 + 0");
  expect_same(0.0, sum_of({"-1", "1"}).value(), "-1 + 1");
  expect_same(-0.0, sum_of({"-1e-400"}).value(), "rounded to -0");
  EXPECT_EQ(sum_of({"-0.0"}).to_string(), "-0");
  decimal_sum merged = sum_of({"-0"});
  merged.merge(decimal_sum());
  expect_same(-0.0, merged.value(), "-0 and nothing");
  merged.merge(sum_of({"0.0"}));
  expect_same(0.0, merged.value(), "-0 and 0");
}

TEST(decimal_sum, counts_infinities_and_nans) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::bit_cast<double>(0x7FF8000000000000);
  expect_same(inf, sum_of({"1", "+INF", "inf"}).value(), "inf");
  expect_same(-inf, sum_of({"-Infinity", "1e100000"}).value(), "-inf");
  expect_same(nan, sum_of({"inf", "-inf"}).value(), "inf - inf");
  expect_same(nan, sum_of({"-nan", "1"}).mean(), "nan");
  EXPECT_EQ(std::bit_cast<std::uint32_t>(sum_of({"NaN"}).value_f32()), 0x7FC00000u);
  EXPECT_EQ(sum_of({"inf", "-inf"}).to_string(), "nan");
  expect_same(nan, decimal_sum().mean(), "mean of nothing");
  decimal_sum sum = sum_of({"nan", "2", "NAN"});
  EXPECT_FALSE(sum.all_integers());
  EXPECT_EQ(sum.nan_count(), 2);
  sum.omit_nans();
  EXPECT_EQ(sum.value_i64().value(), 2);
  EXPECT_EQ(sum.count(), 1);
}

TEST(decimal_sum, of_integers_is_an_integer) {
  EXPECT_EQ(sum_of({"9223372036854775807", "1", "-1"}).value_i64().value(), INT64_MAX);
  EXPECT_EQ(sum_of({"-9223372036854775808"}).value_i64().value(), INT64_MIN);
  EXPECT_EQ(sum_of({"9223372036854775807", "1"}).value_i64().why().code(), status_code::overflow);
  EXPECT_EQ(sum_of({"-9223372036854775808", "-1"}).value_i64().why().code(), status_code::overflow);
  EXPECT_EQ(sum_of({std::string(5000, '9')}).value_i64().why().code(), status_code::overflow);
  EXPECT_EQ(sum_of({std::string(50, '9'), "-" + std::string(50, '9')}).value_i64().value(), 0);
  EXPECT_EQ(decimal_sum().value_i64().value(), 0);
  for (const auto* number : {"1.", "1.0", "1e0", "10e-1", "nan", "inf"})
    EXPECT_EQ(sum_of({number}).value_i64().why().code(), status_code::unsupported) << number;
}

TEST(decimal_sum, refuses_what_is_no_number_and_stays_as_it_was) {
  decimal_sum sum = sum_of({"1"});
  for (const auto* text :
       {"",       "+",   "-",     ".",     "-.",       "e5",    ".e5", "1e",       "1e+",
        "1.2.3",  "1,2", "0x1p3", " 1",    "1 ",       "--1",   "+-1", "1_0",      "infin",
        "nan(1)", "NA",  "1f",    "1e5.0", "\xD9\xA1", "1e5e5", "in",  "infinityy"})
    EXPECT_EQ(sum.add(text).code(), status_code::malformed) << text;
  const std::string most(max_decimal_digits, '7');
  for (const auto& text : {std::string("1e100001"), std::string("1e-100001"), "." + most + "7",
                           std::string("0e99999999999999999999"), most + ".7"})
    EXPECT_EQ(sum.add(text).code(), status_code::unsupported) << text.substr(0, 30);
  EXPECT_TRUE(sum.add("1e0000000000000000000000000100000"));
  EXPECT_TRUE(sum.add("-1e100000"));
  EXPECT_TRUE(sum.add(most));
  EXPECT_TRUE(sum.add("-" + most));
  EXPECT_EQ(sum.to_string(), "1");
}

TEST(decimal_sum, holds_the_longest_numbers) {
  const std::string tail(100000, '0');
  expect_same(1.0, sum_of({"1" + tail + "e-100000"}).value(), "1 by a long way");
  expect_same(0x1.0000000000001p+0,
              sum_of({"1.00000000000000011102230246251565404236316680908203125", "0." + tail + "1"})
                  .value(),
              "just above a tie");
  expect_same(
      1.0,
      sum_of({"1.00000000000000011102230246251565404236316680908203125", "-0." + tail + "1"})
          .value(),
      "just below a tie");
  expect_same(0.0, sum_of({"1e-100000"}).value(), "underflow");
  const auto wide = sum_of({"1e100000", "1e-100000"});
  EXPECT_EQ(wide.to_string(), "1" + tail + "." + std::string(99999, '0') + "1");
  expect_same(std::numeric_limits<double>::infinity(), wide.value(), "overflow");
}

TEST(decimal_sum, adds_mantissas_of_every_scale) {
  decimal_sum sum;
  mpq_class exact = 0;
  decimal_maker make(seed());
  for (int i = 0; i < 2000; ++i) {
    const auto mantissa = static_cast<std::int64_t>(make.below(UINT64_MAX));
    const int scale = static_cast<int>(make.below(1000)) - 500;
    sum.add(mantissa, scale);
    exact += mpz_class(static_cast<long>(mantissa)) * test::scaled(10, -scale);
  }
  expect_all_answers(sum, exact, "mantissas ");
  decimal_sum totals;
  totals.add_total(INT64_MIN, 3, 5);
  totals.add_total(INT64_MIN, 3, 5);
  EXPECT_EQ(totals.to_string(), "-18446744073709551.616");
  EXPECT_EQ(totals.count(), 10);
}

TEST(decimal_sum, divides_by_huge_counts) {
  // 2^t - 1 = j n with odd j of 54 bits: 1 / n = (j / 2^t) (1 + 2^-t + ...) is just above a tie,
  // beyond all the bits of the quotient.
  for (const std::int64_t n : {31236213709664145, 452859534818221665, 1297036692682702839,
                               1693913752685464927, 3855961734903747737, 5691676006176836055})
    for (const std::int64_t total : {1, -1, 64}) {
      decimal_sum sum;
      sum.add_total(total, 0, n);
      expect_all_answers(sum, mpz_class(static_cast<long>(total)), "near a tie ");
    }
  decimal_maker make(seed());
  for (int i = 0; i < 3000; ++i) {
    const auto random = [&] {
      return static_cast<std::int64_t>(make.below(INT64_MAX) >> make.below(63));
    };
    const std::int64_t total = random() + 1, count = random() + 1;
    const int scale = static_cast<int>(make.below(60)) - 30;
    decimal_sum sum;
    sum.add_total(make.one_in(2) ? total : -total, scale, count);
    expect_all_answers(sum, decimal_value(sum.to_string()), "huge count ");
    EXPECT_EQ(abs(decimal_value(sum.to_string())),
              mpz_class(static_cast<long>(total)) * test::scaled(10, -scale));
  }
}

TEST(decimal_sum, carries_before_it_overflows) {
  // Doubling merges reach 2^31 deposits in 31 steps, and 62 steps end below 2^63 numbers.
  decimal_sum sum = sum_of({"-99999999999999999999999999999", "1e-700", "-0.5"});
  mpq_class exact = decimal_value("-99999999999999999999999999999.5") + decimal_value("1e-700");
  for (int i = 0; i < 60; ++i) {
    sum.merge(sum);
    exact *= 2;
    EXPECT_EQ(decimal_value(sum.to_string()), exact) << i;
  }
  decimal_sum total;  // 38 digits at the highest place of a limb: six limbs
  total.add(INT64_MAX, 1);
  for (int i = 0; i < 60; ++i) total.merge(total);
  EXPECT_EQ(total.to_string(), "1063382396627932698207753497763590963.2");
}

// Merges the numbers in a random tree; every tree must give the same digits.
decimal_sum random_tree(const std::vector<std::string>& numbers, decimal_maker& make) {
  std::vector<decimal_sum> parts;
  for (const auto& number : numbers) {
    if (parts.empty() || make.one_in(2)) parts.emplace_back();
    EXPECT_TRUE(parts[make.below(parts.size())].add(number));
  }
  while (parts.size() > 1) {
    const auto i = make.below(parts.size() - 1);
    parts[i].merge(parts[i + 1]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return parts.empty() ? decimal_sum() : parts[0];
}

void check_random_sums(int sums, std::uint64_t most_terms,
                       std::string (*make_one)(decimal_maker&)) {
  decimal_maker make(seed());
  const std::int64_t count = test::cases(sums, sums / 20);
  for (std::int64_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    std::vector<std::string> numbers(1 + make.below(most_terms));
    mpq_class exact = 0;
    for (auto& number : numbers) number = make_one(make), exact += decimal_value(number);
    if (exact == 0) continue;  // the sign of zero has its own test
    const auto sum = sum_of(numbers);
    expect_all_answers(sum, exact, joined(numbers));
    if (numbers.size() == 1 || !make.one_in(4)) continue;
    EXPECT_EQ(random_tree(numbers, make).to_string(), sum.to_string()) << joined(numbers);
  }
}

TEST(decimal_sum, agrees_with_rationals_on_numbers_of_all_forms) {
  check_random_sums(60000, 6, [](decimal_maker& make) { return make.any(); });
}

TEST(decimal_sum, agrees_with_rationals_on_prices) {
  check_random_sums(20000, 20, [](decimal_maker& make) { return make.price(); });
}

TEST(decimal_sum, rounds_ties_of_binary64_to_even) {
  check_random_sums(6000, 1, [](decimal_maker& make) { return make.tie<double>(); });
}

TEST(decimal_sum, rounds_ties_of_binary32_to_even) {
  check_random_sums(25000, 1, [](decimal_maker& make) { return make.tie<float>(); });
}

TEST(decimal_sum, cancels_down_to_ties) {
  check_random_sums(3000, 3, [](decimal_maker& make) {
    return make.one_in(2) ? make.tie<double>() : make.any();
  });
}

TEST(decimal_sum, does_not_depend_on_the_callers_rounding_mode) {
  decimal_maker make(seed());
  for (int i = 0; i < 500; ++i) {
    const auto sum = sum_of({make.tie<double>(), make.any()});
    const double expected = sum.value();
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const double got = sum.value();
      std::fesetround(FE_TONEAREST);
      expect_same(expected, got, "rounding mode");
    }
  }
}

TEST(decimal_sum, has_independent_copies) {
  decimal_sum a = sum_of({"1", "1e300", "0.5"});
  decimal_sum b = a;
  a = std::move(b);
  decimal_sum c = a;
  EXPECT_TRUE(c.add("-1e300"));
  EXPECT_EQ(c.to_string(), "1.5");
  EXPECT_EQ(a.count(), 3);
}

}  // namespace
}  // namespace onefold
