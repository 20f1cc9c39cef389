// SPDX-License-Identifier: Apache-2.0
// Means, variances and deviations: rounded once, in every format, from any split of the elements.
#include <gtest/gtest.h>

#include <limits>

#include "onefold/exact.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/moments_oracle.hpp"

namespace onefold::test {
namespace {

template <class T, class... X>
constexpr exact_moments<T> moments_of(X... x) {
  exact_moments<T> moments;
  (moments.add(x), ...);
  return moments;
}
static_assert(moments_of<double>(1.0, 2.0, 3.0, 4.0).mean() == 2.5);
static_assert(moments_of<double>(1.0, 2.0, 3.0, 4.0).variance() == 1.25);
static_assert(moments_of<double>(1e200, 1e200, 1e200).variance() == 0.0);
static_assert(moments_of<double>(0x1p1000, -0x1p1000).deviation() == 0x1p1000);
static_assert(moments_of<float>(1.0f, 2.0f).mean<float>() == 1.5f);
static_assert(moments_of<int>(1, 2, 3, 4).variance(1) == 5.0 / 3);
static_assert(moments_of<int>(1, 2, 3, 4).variance(1.5) == 2);
static_assert(moments_of<int>(1, 2).mean() == 1.5);
static_assert(std::is_same_v<exact_moments<bool>, exact_moments<std::int64_t>>);
static_assert(std::is_trivially_copyable_v<exact_moments<double>>);

constexpr std::int64_t corrections[] = {0, 1, 2, 3, -1};
// Some make divisors of up to 1200 bits, next to n^2 and to no integer of 128 bits.
constexpr double real_corrections[] = {
    0.5,     1.5,       -3.25,    0.1,    1e-300, -1e-300, 0x1p-1074, -0x1p-1074,
    -0x1p60, -0x1p63,   0x1p63,   -1e300, 1e300,  2.0,     -0.0,      -0x1.fffffffffffffp1023,
    -1e-17,  0x1.8p-61, -3.1e-19, 0.75};

template <class Out>
void expect_answer(std::string_view context, Out got, const exact_answer& expected) {
  EXPECT_TRUE(matches<Out>(as_bits(got), expected))
      << hex(as_bits(got)) << " of " << ieee<Out>::name << " is not the " << context;
}

template <class Out, class Moments, class Oracle>
void expect_of_real_corrections(const Moments& moments, const Oracle& expected) {
  for (const double c : real_corrections) {
    SCOPED_TRACE(c);
    expect_answer("variance", moments.template variance<Out>(c), expected.variance(c));
    expect_answer("deviation", moments.template deviation<Out>(c), expected.deviation(c));
  }
}

template <class Out, class T>
void expect_answers(const exact_moments<T>& moments, const moments_oracle<T>& expected) {
  expect_answer("mean", moments.template mean<Out>(), expected.mean());
  expect_answer("mean of the sum", moments.sum().template mean<Out>(), expected.mean());
  for (const std::int64_t c : corrections) {
    expect_answer("variance", moments.template variance<Out>(c), expected.variance(c));
    expect_answer("deviation", moments.template deviation<Out>(c), expected.deviation(c));
  }
  expect_of_real_corrections<Out>(moments, expected);
}

template <class Out, class T>
void expect_answers_of_mpfr(const exact_moments<T>& moments, const exact_sums& sums) {
  const auto mean = sums.mean(), variance = sums.variance(0);
  const auto quotient = [](const exact_answer& answer) {
    const auto& [top, bottom, exponent] = answer.magnitude;
    return hex(quotient_by_mpfr<Out>(top, bottom, exponent));
  };
  const Out magnitude = as_float<Out>(magnitude_bits(moments.template mean<Out>()));
  EXPECT_EQ(hex(as_bits(magnitude)), quotient(mean));
  EXPECT_EQ(hex(as_bits(moments.template variance<Out>())), quotient(variance));
}

template <class T>
exact_moments<T> moments_of_range(const std::vector<T>& x, std::size_t first, std::size_t end) {
  exact_moments<T> moments;
  for (std::size_t i = first; i < end; ++i) moments.add(x[i]);
  return moments;
}

template <class T>
void try_array(random_source& random, const std::vector<T>& x) {
  SCOPED_TRACE(hex(x.data(), x.size()));
  moments_oracle<T> expected;
  oracle<T> sum;
  dot_oracle<T> squares;
  for (const T element : x) expected.add(element), squares.add(element, element);
  sum.add_one_by_one(x.data(), std::int64_t(x.size()));
  const auto whole = moments_of_range(x, 0, x.size());
  auto words = sum.words();
  for (const std::int64_t word : squares.words()) words.push_back(word);
  ASSERT_EQ(words_of(whole), words);
  const std::int64_t* word = words.data();
  ASSERT_TRUE(exact_moments<T>::from_words([&] { return *word++; }) == whole);
  ASSERT_TRUE(whole.consistent());
  std::vector<exact_moments<T>> parts;
  for (std::size_t first = 0; first < x.size();) {
    const std::size_t end = std::min(x.size(), first + random.below(x.size() / 2 + 2));
    parts.push_back(moments_of_range(x, first, end));
    first = end;
  }
  ASSERT_TRUE(merged_in_a_random_tree(random, parts) == whole);
  for_each_format([&]<class Out>(detail::tag<Out>) {
    expect_answers<Out, T>(whole, expected);
    if (expected.finite() && !x.empty()) expect_answers_of_mpfr<Out, T>(whole, expected.sums());
  });
}

template <class T>
void fill_equal(random_source& random, T* x, std::size_t n) {
  const T any = any_of_exponent<T>(random, random.between(-ieee<T>::bias, ieee<T>::bias));
  std::fill(x, x + n, any);
}
// All equal but for one, by an ulp.
template <class T>
void fill_one_apart(random_source& random, T* x, std::size_t n) {
  fill_equal(random, x, n);
  if (n > 0) x[random.below(n)] = as_float<T>(bits_of<T>(as_bits(x[0]) ^ 1));
}
template <class T>
void fill_cluster(random_source& random, T* x, std::size_t n) {
  fill_equal(random, x, n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = bits_of<T>(as_bits(x[i]) + random.below(7));
    if ((bits & ieee<T>::infinity) != ieee<T>::infinity) x[i] = as_float<T>(bits);
  }
}
template <class T>
void fill_mirrored(random_source& random, T* x, std::size_t n) {
  fill_equal(random, x, n);
  for (std::size_t i = 0; i < n; i += 2) x[i] = negated(x[i]);
}
// Values of few bits: variances and deviations that are exact, and exact ties.
template <class T>
void fill_few_bits(random_source& random, T* x, std::size_t n) {
  const int least = random.between(ieee<T>::lsb, ieee<T>::bias - 5), most = random.between(1, 15);
  for (std::size_t i = 0; i < n; ++i) {
    const int units = random.between(-most, most);
    const T wide = chopped<T>(units);  // then moved by exponent, where that is a number
    const int exponent = int(magnitude_bits(wide) >> ieee<T>::fraction_bits) - ieee<T>::bias;
    x[i] = units == 0
               ? wide
               : make<T>(units < 0, std::max(exponent + least, 1 - ieee<T>::bias), as_bits(wide));
  }
}
// m and m + d: the deviation is d / 2, a midpoint where d is odd in the last place of a format.
template <class T>
void fill_two_values(random_source& random, T* x, std::size_t n) {
  const T a = any_of_exponent<T>(random, random.between(-ieee<T>::bias, ieee<T>::bias));
  const T b = any_of_exponent<T>(random, random.between(-ieee<T>::bias, ieee<T>::bias));
  for (std::size_t i = 0; i < n; ++i) x[i] = i % 2 ? a : b;
}

template <class T>
void try_families(std::uint64_t stream) {
  using filler = void (*)(random_source&, T*, std::size_t);
  std::vector<filler> fillers = {fill_equal<T>,    fill_one_apart<T>, fill_cluster<T>,
                                 fill_mirrored<T>, fill_few_bits<T>,  fill_two_values<T>};
  for (const auto& family : families<T>()) fillers.push_back(family.fill);
  for (std::uint64_t k = 0; k < std::uint64_t(cases(6'000, 100)); ++k) {
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k));
    random_source random = source_of(stream, k);
    std::vector<T> x(random.one_in(30) ? random.below(500) : random.below(9));
    fillers[k % fillers.size()](random, x.data(), x.size());
    try_array<T>(random, x);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(exact_moments, of_binary64_are_those_of_the_oracle) {
  try_families<double>(2200);
}
TEST(exact_moments, of_binary32_are_those_of_the_oracle) {
  try_families<float>(2201);
}
TEST(exact_moments, of_bfloat16_are_those_of_the_oracle) {
  try_families<bf16>(2202);
}
TEST(exact_moments, of_binary16_are_those_of_the_oracle) {
  try_families<f16>(2203);
}

// Counts near 2^63: states merged with themselves, and any number of zeros with them.
template <class T>
void try_doubled(std::uint64_t stream) {
  for (std::uint64_t k = 0; k < 400; ++k) {
    random_source random = source_of(stream, k);
    exact_moments<T> moments;
    exact_sums sums;
    sums.unit = ieee<T>::lsb;
    for (int i = 0; i < 3; ++i) {
      const T x = any_of_exponent<T>(random, random.between(-ieee<T>::bias, ieee<T>::bias));
      const mpz_class units = in_units<T>(magnitude_bits(x));
      moments.add(x), sums.add(as_bits(x) & ieee<T>::sign ? mpz_class(-units) : units);
    }
    for (int doubled = random.between(40, 61); doubled > 0; --doubled) {
      const auto copy = moments;
      moments.merge(copy);
      sums.n *= 2, sums.a *= 2, sums.b *= 2;
    }
    const auto zeros = std::int64_t(random() >> random.between(3, 40));
    moments.note_elements(zeros, false), sums.n += zeros;
    for_each_format([&]<class Out>(detail::tag<Out>) {
      expect_answer("mean", moments.template mean<Out>(), sums.mean());
      for (const std::int64_t c : {std::int64_t(0), sums.n - 1, sums.n, sums.n / 3, -sums.n,
                                   std::numeric_limits<std::int64_t>::min()}) {
        expect_answer("variance", moments.template variance<Out>(c), sums.variance(c));
        expect_answer("deviation", moments.template deviation<Out>(c), sums.deviation(c));
      }
      expect_of_real_corrections<Out>(moments, sums);
    });
  }
}

// Quotients that a divisor of more than 128 bits leaves without a rest, or with one of either sign
// that its first 128 bits do not show.
TEST(exact_moments, quotients_by_wide_divisors_are_exactly_those) {
  for (std::uint64_t k = 0; k < 2000; ++k) {
    random_source random = source_of(2214, k);
    const auto n = std::int64_t(random() >> random.between(1, 61)) + 1;
    const double c = real_corrections[4 + random.below(4)];  // tiny: hundreds of zeros or ones
    const detail::real_divisor by(n, c);
    mpz_class divisor = 0;
    for (int i = detail::real_divisor::limbs; i-- > 0;)
      divisor = (divisor << 32) + static_cast<unsigned long>(by.digits[i]);
    const mpq_class wanted = long(n) * (long(n) - mpq_class(c)), got(divisor);
    ASSERT_EQ(wanted, by.exponent < 0 ? mpq_class(got / (mpz_class(1) << -by.exponent))
                                      : mpq_class(got * (mpz_class(1) << by.exponent)));
    const mpz_class q = static_cast<unsigned long>(random() >> 8 | std::uint64_t(1) << 55);
    const mpz_class rest = random.between(-1, 1), top = (q * divisor + rest)
                                                        << random.between(0, 100);
    std::int64_t digits[48] = {};
    for (int i = 0; i < 48; ++i)
      digits[i] = std::int64_t(mpz_class((top >> (32 * i)) & 0xFFFFFFFFul).get_ui());
    const auto made = detail::divide_by_wide<56, false, 48>({digits, 48}, by);
    mpz_class quotient = (mpz_class(static_cast<unsigned long>(made.value.high)) << 64) +
                         static_cast<unsigned long>(made.value.low);
    mpz_class scaled = top, unit = divisor;
    (made.exponent < 0 ? scaled : unit) <<= static_cast<unsigned long>(std::abs(made.exponent));
    EXPECT_EQ(quotient, mpz_class(scaled / unit)) << "case " << k;
    EXPECT_EQ(made.exact, scaled % unit == 0) << "case " << k;
  }
}

TEST(exact_moments, of_almost_as_many_elements_as_there_can_be_are_exact_too) {
  try_doubled<double>(2210);
  try_doubled<float>(2211);
  try_doubled<bf16>(2212);
  try_doubled<f16>(2213);
}

template <class T>
void try_without_nans(std::uint64_t stream) {
  const T nan = as_float<T>(ieee<T>::nan), minus_zero = as_float<T>(ieee<T>::sign);
  for (std::uint64_t k = 0; k < 200; ++k) {
    random_source random = source_of(stream, k);
    const T choice[] = {nan,
                        minus_zero,
                        as_float<T>(ieee<T>::infinity),
                        as_float<T>(bits_of<T>(ieee<T>::nan | ieee<T>::sign | 1)),
                        as_float<T>(0),
                        any_of_exponent<T>(random, 0)};
    const std::uint64_t kinds = random.below(6) + 1;
    exact_moments<T> all, rest;
    for (std::uint64_t i = random.below(6); i > 0; --i) {
      const T x = choice[random.below(kinds)];
      all.add(x);
      if (!is_nan_bits(x)) rest.add(x);
    }
    EXPECT_TRUE(all.without_nans() == rest);
    EXPECT_TRUE(all.sum().without_nans() == rest.sum());
  }
  exact_sum<T> sum;
  sum.add(nan);
  EXPECT_EQ(as_bits(sum.without_nans().value()), 0) << "nothing is left: +0";
  EXPECT_EQ(as_bits(sum.without_nans().mean()), ieee<T>::nan) << "the mean of nothing";
  sum.add(minus_zero);
  EXPECT_EQ(as_bits(sum.without_nans().value()), ieee<T>::sign) << "-0 is left alone";
  EXPECT_EQ(as_bits(sum.value()), ieee<T>::nan);
}

TEST(exact_moments, without_nans_are_those_of_the_other_elements) {
  try_without_nans<double>(2220);
  try_without_nans<float>(2221);
  try_without_nans<bf16>(2222);
  try_without_nans<f16>(2223);
}

// Elements that came by deposits and were noted leave the state that add() leaves.
TEST(exact_moments, take_deposits_and_counts_from_elsewhere) {
  exact_moments<float> added, deposited;
  for (int i = -3; i < 9; ++i) added.add(float(i) * 0x1p-10f);
  for (int i = -3; i < 9; ++i) {
    deposited.sum().deposit(i, -10 - ieee<float>::lsb);
    deposited.squares().deposit(i * i, -20 - 2 * ieee<float>::lsb);
  }
  deposited.note_elements(12, false);
  EXPECT_TRUE(added == deposited);
  deposited.note_elements(0, true);
  EXPECT_TRUE(added == deposited);
  exact_moments<float> zeros, noted;
  zeros.add(-0.0f), zeros.add(-0.0f);
  noted.note_elements(2, true);
  EXPECT_TRUE(zeros == noted);
}

// The engines note how many elements there were before they know which of them are NaN.
TEST(exact_moments, are_the_same_wherever_nans_were_noted) {
  const auto nan = as_bits(as_float<float>(ieee<float>::nan));
  exact_moments<float> added, noted, zeros;
  added.add(as_float<float>(nan)), added.add(as_float<float>(nan));
  noted.note_elements(2, true);
  noted.note_special(nan), noted.note_special(nan);
  EXPECT_TRUE(added == noted);
  EXPECT_TRUE(noted.without_nans() == exact_moments<float>{});
  zeros.add(-0.0f);
  noted.merge(zeros), added.merge(zeros);
  EXPECT_TRUE(added == noted);
  EXPECT_EQ(as_bits(noted.sum().without_nans().value()), ieee<float>::sign);
  EXPECT_EQ(as_bits(noted.squares().without_nans().value()), 0u);
}

}  // namespace
}  // namespace onefold::test
