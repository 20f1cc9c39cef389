// SPDX-License-Identifier: Apache-2.0
// The compact sum against GMP and MPFR: whatever it takes in, in whatever order and split, its
// answers are the correctly rounded ones, or it says that it is full.
#include "state/compact_sum.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"

namespace onefold::test {
namespace {

template <class T>
double widened(T x) {
  exact_sum<T> one;
  one.add(x);
  return one.template value<double>();
}

// Sums that were split and merged at random; nothing where one of them was full.
template <class Sum, class T>
std::optional<Sum> sum_of(random_source& random, const std::vector<T>& x) {
  Sum whole, part;
  const bool splits = random.one_in(2);
  for (const T element : x) {
    if (!part.add(widened(element))) return std::nullopt;
    if (!splits || !random.one_in(4)) continue;
    if (!whole.merge(part)) return std::nullopt;
    part = Sum();
  }
  if (!whole.merge(part)) return std::nullopt;
  return whole;
}

template <class Out, class T>
bits_of<Out> mean_of(const oracle<T>& sum, std::int64_t count) {
  const bits_of<Out> as_sum = sum.template value<Out>();
  const auto magnitude = bits_of<Out>(as_sum & bits_of<Out>(~ieee<Out>::sign));
  const auto sign = bits_of<Out>(as_sum & ieee<Out>::sign);
  const auto words = sum.words();
  const bool special = words[words.size() - 4] + words[words.size() - 3] + words[words.size() - 2];
  if (special || (magnitude == 0 && sum.total() == 0)) return as_sum;
  const auto mean = quotient_by_mpfr<Out>(abs(sum.total()), mpz_class(count), ieee<T>::lsb);
  return bits_of<Out>(mean | sign);
}

template <class Out, class Sum, class T>
bool answers_as(const Sum& sum, const oracle<T>& expected, std::int64_t count) {
  return as_bits(sum.template value<Out>()) == expected.template value<Out>() &&
         as_bits(sum.template mean<Out>()) == mean_of<Out>(expected, count);
}

struct seen {
  int kept = 0, full = 0, wrong = 0;
};

template <class Sum, class T>
seen try_family(const family<T>& from, std::int64_t arrays) {
  seen all;
  for (std::int64_t k = 0; k < arrays; ++k) {
    random_source random = source_of(2200 + sizeof(T), std::uint64_t(k));
    std::vector<T> x(1 + random.below(k % 16 == 0 ? 300 : 12));
    from.fill(random, x.data(), x.size());
    const auto sum = sum_of<Sum>(random, x);
    if (!sum) {
      ++all.full;
      continue;
    }
    const auto n = std::int64_t(x.size());
    oracle<T> expected;
    expected.add(x.data(), n);
    const bool right = sum->count() == n && answers_as<double>(*sum, expected, n) &&
                       answers_as<float>(*sum, expected, n) && answers_as<f16>(*sum, expected, n) &&
                       answers_as<bf16>(*sum, expected, n);
    ++all.kept, all.wrong += !right;
    if (!right && std::is_same_v<Sum, compact_sum>)
      ADD_FAILURE() << from.name << " " << hex(x.data(), x.size());
  }
  return all;
}

template <class T>
void try_families() {
  for (const auto& each : families<T>()) {
    const seen all = try_family<compact_sum>(each, cases(4000, 40));
    EXPECT_GT(all.kept, 0) << ieee<T>::name << " " << each.name;
  }
}

TEST(compact_sum, of_f64_answers_as_the_oracle_does) {
  try_families<double>();
}
TEST(compact_sum, of_f32_answers_as_the_oracle_does) {
  try_families<float>();
}
TEST(compact_sum, of_bf16_answers_as_the_oracle_does) {
  try_families<bf16>();
}
TEST(compact_sum, of_f16_answers_as_the_oracle_does) {
  try_families<f16>();
}

TEST(compact_sum, is_full_where_three_doubles_are_too_few) {
  compact_sum sum;
  int taken = 0;
  for (const int exponent : {0, -100, -200, -300}) taken += sum.add(std::ldexp(1.0, exponent));
  EXPECT_EQ(taken, 3);
  EXPECT_EQ(sum.count(), 3);
  EXPECT_TRUE(sum.add(-1.0)) << "what cancels leaves space";
  EXPECT_TRUE(sum.add(0x1p-300));
  EXPECT_EQ(sum.value(), 0x1p-100);
}

TEST(compact_sum, that_is_full_stays_as_it_was_and_drains_into_a_wide_sum) {
  for (std::uint64_t k = 0; k < 2000; ++k) {
    random_source random = source_of(2300, k);
    std::vector<double> x(40);
    for (double& each : x) each = any_of_exponent<double>(random, random.between(-300, 300));
    compact_sum sum;
    std::size_t n = 0;
    while (n < x.size() && sum.add(x[n])) ++n;
    ASSERT_LT(n, x.size()) << seed();
    oracle<double> expected;
    expected.add(x.data(), std::int64_t(n));
    detail::wide_sum<double> wide = sum.widened();
    std::vector<std::int64_t> words;
    wide.for_each_word([&](std::int64_t word) { words.push_back(word); });
    ASSERT_EQ(words, expected.words()) << seed() << " " << hex(x.data(), n);
  }
}

// Theorem 4: so many elements of so little spread always fit.
TEST(compact_sum, holds_what_its_capacity_promises) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(300, 10)); ++k) {
    random_source random = source_of(2400, k);
    const int width = random.between(1, 12), n = 1 << width;
    const int spread = 157 - 53 - 3 * width, least = random.between(-1022, 800);
    compact_sum sum;
    std::vector<double> x;
    for (int i = 0; i < n; ++i) {
      x.push_back(any_of_exponent<double>(random, least + random.between(0, spread)));
      ASSERT_TRUE(sum.add(x.back())) << seed() << " " << k << " element " << i;
    }
    oracle<double> expected;
    expected.add(x.data(), n);
    ASSERT_EQ(as_bits(sum.value()), expected.value()) << seed() << " " << k;
  }
}

TEST(compact_sum, of_nothing_is_plus_zero_and_its_mean_nan) {
  EXPECT_EQ(as_bits(compact_sum().value()), 0u);
  EXPECT_EQ(as_bits(compact_sum().mean()), ieee<double>::nan);
}

// --- mutants -----------------------------------------------------------------

constexpr compact_checks without(bool compact_checks::*flag) {
  compact_checks left;
  left.*flag = false;
  return left;
}

// Sums that end a hair from the middle between two results, with a third part far below.
void fill_hair(random_source& random, double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = 0;
  const int at = random.between(-40, 40);
  const int fraction_bits = std::array{52, 23, 10, 7}[random.below(4)];
  x[0] = std::ldexp(double(random.between(1, 120) * 2 + 1), at + fraction_bits - 7);
  if (n > 1) x[1] = std::ldexp(1.0, at - 1);
  if (n > 2) x[2] = std::ldexp(random.one_in(2) ? 1.0 : -1.0, at - random.between(54, 110));
}

// Means a hair from the middle between two doubles.
void fill_middle_mean(random_source& random, double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = 0;
  if (n < 3) return;
  const auto middle = std::int64_t(random() >> 11 | std::uint64_t(1) << 53 | 1);
  x[0] = std::ldexp(double(middle >> 30), 30) * double(n);
  x[1] = double(middle & 0x3FFFFFFF) * double(n);
  x[2] = std::ldexp(random.one_in(2) ? 1.0 : -1.0, -random.between(40, 100));
}

// What the fourth part down holds is all that is left in the end.
void fill_what_is_left(random_source& random, double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = 0;
  if (n < 7) return;
  for (int part = 0; part < 4; ++part)
    x[part] = any_of_exponent<double>(random, 300 - 120 * part - random.between(0, 9));
  for (int part = 0; part < 3; ++part) x[4 + part] = -x[part];
}

struct row {
  const char* check;
  seen (*mutant)(std::string_view);
  const char* family;
};

const family<double>* find(std::string_view name) {
  static const family<double> own[] = {{"hair", fill_hair, {}},
                                       {"middle mean", fill_middle_mean, {}},
                                       {"what is left", fill_what_is_left, {}}};
  for (const auto& each : own)
    if (each.name == name) return &each;
  for (const auto& each : families<double>())
    if (each.name == name) return &each;
  return nullptr;
}

template <compact_checks Checks>
seen try_without(std::string_view name) {
  return try_family<basic_compact_sum<Checks>>(*find(name), 20'000);
}

constexpr row rows[] = {
    {"residual", try_without<without(&compact_checks::residual)>, "what is left"},
    {"odd", try_without<without(&compact_checks::odd)>, "hair"},
    {"mean_error", try_without<without(&compact_checks::mean_error)>, "middle mean"},
};

TEST(compact_sum_mutation, of_every_check_is_caught_by_the_family_that_is_there_for_it) {
  for (const auto& [check, mutant, name] : rows) {
    const seen without_it = mutant(name);
    std::printf("  without %-10s %5d of %5d sums of \"%s\" come out wrong\n", check,
                without_it.wrong, without_it.kept, name);
    EXPECT_GT(without_it.wrong, 0) << seed() << ": " << name << " did not notice " << check;
  }
}

TEST(compact_sum_mutation, of_nothing_leaves_the_same_sums_right) {
  for (const auto& [check, mutant, name] : rows) {
    const seen with_it = try_family<compact_sum>(*find(name), 20'000);
    EXPECT_EQ(with_it.wrong, 0) << seed() << ": " << name;
    EXPECT_GT(with_it.kept + with_it.full, 0) << name;
  }
}

}  // namespace
}  // namespace onefold::test
