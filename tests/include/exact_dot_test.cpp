// SPDX-License-Identifier: Apache-2.0
// Exact sums of products and their roots: words, answers in every format, specials, merging.
#include <gtest/gtest.h>

#include <limits>

#include "onefold/exact.hpp"
#include "support/dot_oracle.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

template <class T, class... X>
constexpr exact_dot<T> squares_of(X... x) {
  exact_dot<T> sum;
  (sum.add(x, x), ...);
  return sum;
}
static_assert(squares_of<double>(3.0, 4.0).root() == 5.0);
static_assert(squares_of<double>(0x1p-1074).value() == 0.0);
static_assert(squares_of<double>(0x1p-1074).root() == 0x1p-1074);
static_assert(squares_of<double>(0x3p700, 0x4p700).root() == 0x5p700);
static_assert(squares_of<float>(0x1p-75f, 0x1p-75f).value<double>() == 0x1p-149);
static_assert(squares_of<int>(3, -4).value() == 25);
static_assert(std::is_same_v<exact_dot<int>, exact_dot<std::int64_t>>);
static_assert(std::is_trivially_copyable_v<exact_dot<double>>);
static_assert(exact_dot<float>{}.without_nans() == exact_dot<float>{});

template <class T>
struct pairs {
  std::vector<T> x, y;
  std::string text() const { return hex(x.data(), x.size()) + "\n" + hex(y.data(), y.size()); }
};

template <class T>
exact_dot<T> sum_of(const pairs<T>& factors, std::size_t first, std::size_t end) {
  exact_dot<T> sum;
  for (std::size_t i = first; i < end; ++i) sum.add(factors.x[i], factors.y[i]);
  return sum;
}

template <class Out, class T>
void expect_answers(const exact_dot<T>& sum, const dot_oracle<T>& expected,
                    const pairs<T>& factors) {
  const auto value = as_bits(sum.template value<Out>()), root = as_bits(sum.template root<Out>());
  EXPECT_TRUE(matches<Out>(value, expected.value())) << hex(value) << " is not the sum\n"
                                                     << factors.text();
  EXPECT_TRUE(matches<Out>(root, expected.root())) << hex(root) << " is not the root\n"
                                                   << factors.text();
  if (!expected.finite() || expected.total() <= 0) return;
  EXPECT_EQ(value, rounded_by_mpfr<Out>(expected.total(), 2 * ieee<T>::lsb)) << factors.text();
  EXPECT_EQ(root, root_by_mpfr<Out>(expected.total(), 2 * ieee<T>::lsb)) << factors.text();
}

template <class T>
void try_pairs(random_source& random, const pairs<T>& factors) {
  dot_oracle<T> expected;
  for (std::size_t i = 0; i < factors.x.size(); ++i) expected.add(factors.x[i], factors.y[i]);
  const exact_dot<T> whole = sum_of(factors, 0, factors.x.size());
  ASSERT_EQ(words_of(whole), expected.words()) << factors.text();
  std::vector<exact_dot<T>> parts;
  for (std::size_t first = 0; first < factors.x.size();) {
    const std::size_t end =
        std::min(factors.x.size(), first + random.below(factors.x.size() / 2 + 2));
    parts.push_back(sum_of(factors, first, end));
    first = end;
  }
  const exact_dot<T> merged = merged_in_a_random_tree(random, parts);
  ASSERT_TRUE(merged == whole && words_of(merged) == words_of(whole)) << factors.text();
  auto words = words_of(whole);
  const std::int64_t* word = words.data();
  ASSERT_TRUE(exact_dot<T>::from_words([&] { return *word++; }) == whole);
  for_each_format(
      [&]<class Out>(detail::tag<Out>) { expect_answers<Out, T>(whole, expected, factors); });
}

template <class T>
pairs<T> make_pairs(random_source& random, const family<T>& a, const family<T>& b) {
  const std::size_t n = random.one_in(8) ? random.below(400) : random.below(12);
  pairs<T> made{std::vector<T>(n), std::vector<T>(n)};
  a.fill(random, made.x.data(), n), b.fill(random, made.y.data(), n);
  if (random.one_in(3)) made.y = made.x;
  // A second half that cancels the first but for a little.
  for (std::size_t i = 0; n > 3 && random.one_in(2) && i < n / 2; ++i)
    made.x[n - 1 - i] = negated(made.x[i]), made.y[n - 1 - i] = made.y[i];
  return made;
}

template <class T>
void try_families(std::uint64_t stream) {
  const auto& all = families<T>();
  for (std::uint64_t k = 0; k < std::uint64_t(cases(20'000, 100)); ++k) {
    SCOPED_TRACE("ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", case " + std::to_string(k));
    random_source random = source_of(stream, k);
    const auto& a = all[k % all.size()];
    try_pairs<T>(random, make_pairs<T>(random, a, all[random.below(all.size())]));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(exact_dot, of_binary64_is_the_oracles_sum_of_products) {
  try_families<double>(2100);
}
TEST(exact_dot, of_binary32_is_the_oracles_sum_of_products) {
  try_families<float>(2101);
}
TEST(exact_dot, of_bfloat16_is_the_oracles_sum_of_products) {
  try_families<bf16>(2102);
}
TEST(exact_dot, of_binary16_is_the_oracles_sum_of_products) {
  try_families<f16>(2103);
}

// Every pair of elements where something changes: zeros, least, greatest, infinities, NaNs.
template <class T>
std::vector<T> edges() {
  using format = ieee<T>;
  std::vector<T> list;
  for (const bits_of<T> bits :
       {bits_of<T>(0), bits_of<T>(1), format::hidden, bits_of<T>(format::hidden - 1),
        bits_of<T>(format::infinity - 1), format::infinity, bits_of<T>(format::infinity + 1),
        format::nan, bits_of<T>(bits_of<T>(format::bias) << format::fraction_bits)})
    for (const auto sign : {bits_of<T>(0), format::sign})
      list.push_back(as_float<T>(bits_of<T>(bits | sign)));
  return list;
}

template <class T>
void try_edges() {
  random_source random(1);
  const auto list = edges<T>();
  for (const T a : list)
    for (const T b : list) {
      try_pairs<T>(random, {{a}, {b}});
      for (const T c : list) try_pairs<T>(random, {{a, c}, {b, list[2]}});
    }
}

TEST(exact_dot, follows_ieees_rules_for_zeros_infinities_and_nans) {
  try_edges<double>();
  try_edges<float>();
  try_edges<bf16>();
  try_edges<f16>();
}

// Norms whose squares are perfect, and one unit to either side.
template <class T>
void try_perfect_squares(std::uint64_t stream) {
  using format = ieee<T>;
  for (std::uint64_t k = 0; k < std::uint64_t(cases(10'000, 50)); ++k) {
    random_source random = source_of(stream, k);
    const T root = any_of_exponent<T>(random, random.between(-format::bias, format::bias));
    const T least = power_of_two<T>(false, format::lsb);
    pairs<T> factors{{root}, {root}};
    if (k % 3 != 0)
      factors.x.push_back(least), factors.y.push_back(k % 3 == 1 ? least : negated(least));
    try_pairs<T>(random, factors);
  }
}

TEST(exact_dot, has_roots_of_perfect_squares_and_of_one_unit_to_either_side) {
  try_perfect_squares<double>(2110);
  try_perfect_squares<float>(2111);
  try_perfect_squares<bf16>(2112);
  try_perfect_squares<f16>(2113);
}

// Roots half-way between two numbers of a narrower format: (2 m + 1)^2, give or take a unit.
TEST(exact_dot, has_roots_at_ties_of_the_narrow_formats) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(20'000, 50)); ++k) {
    random_source random = source_of(2114, k);
    const double middle = double(2 * random.below(1 << (k % 2 ? 11 : 24)) + 1);
    const double scale = power_of_two<double>(false, random.between(-160, 130));
    const double root = middle * scale, tiny = 0x1p-1074;
    try_pairs<double>(random, {{root}, {root}});
    try_pairs<double>(random, {{root, tiny}, {root, k % 3 == 0 ? tiny : -tiny}});
  }
}

template <class T>
void try_without_nans(std::uint64_t stream) {
  const T nan = as_float<T>(ieee<T>::nan), infinity = as_float<T>(ieee<T>::infinity);
  const T zero = as_float<T>(0), minus_zero = as_float<T>(ieee<T>::sign);
  for (std::uint64_t k = 0; k < 200; ++k) {
    random_source random = source_of(stream, k);
    const T choice[] = {
        nan, infinity, negated(infinity), zero, minus_zero, nan, any_of_exponent<T>(random, 0)};
    exact_dot<T> all, rest;
    for (std::uint64_t i = random.below(6); i > 0; --i) {
      const T x = choice[random.below(7)], y = choice[random.below(7)];
      all.add(x, y);
      if (!is_nan_bits(x) && !is_nan_bits(y)) rest.add(x, y);
    }
    EXPECT_TRUE(all.without_nans() == rest);
    EXPECT_EQ(all.without_nans().count(), all.count() - all.nan_count());
  }
  exact_dot<T> invalid;
  invalid.add(infinity, zero);
  EXPECT_EQ(as_bits(invalid.value()), ieee<T>::nan);
  EXPECT_EQ(as_bits(invalid.without_nans().value()), ieee<T>::nan) << "no element was a NaN";
  EXPECT_EQ(invalid.nan_count(), 0);
}

TEST(exact_dot, without_nans_is_that_of_the_other_pairs) {
  try_without_nans<double>(2120);
  try_without_nans<float>(2121);
  try_without_nans<bf16>(2122);
  try_without_nans<f16>(2123);
}

// The largest products there are, 2^62 times as many: the top digit keeps its sign.
template <class T>
void try_capacity() {
  exact_dot<T> sum;
  const T most = as_float<T>(ieee<T>::infinity - 1);
  const mpz_class unit = in_units<T>(as_bits(most));
  mpz_class total = -(unit * unit);
  sum.add(most, negated(most));
  for (int doubled = 0; doubled < 62; ++doubled) {
    const exact_dot<T> copy = sum;
    sum.merge(copy);
    total *= 2;
  }
  auto words = words_of(sum);
  words.resize(std::size_t(ieee<T>::product_limbs));
  EXPECT_EQ(words, digits_of(total, words.size()));
  EXPECT_EQ(sum.count(), std::int64_t(1) << 62);
}

TEST(exact_dot, holds_as_many_of_the_largest_products_as_it_says) {
  try_capacity<double>();
  try_capacity<float>();
  try_capacity<bf16>();
  try_capacity<f16>();
}

}  // namespace
}  // namespace onefold::test
