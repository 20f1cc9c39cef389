// SPDX-License-Identifier: Apache-2.0
// Every check of the finishing is needed: without it named elements get wrong answers.
#include <gtest/gtest.h>

#include "onefold/exact.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/moments_oracle.hpp"

namespace onefold::test {
namespace {

using detail::checks;

struct answers {
  int wrong_sums = 0, wrong_means = 0, wrong_roots = 0, wrong_variances = 0, wrong_deviations = 0;
};

// `zeros` elements more, so that the divisor has as many digits as it can have.
template <class T, checks Checks>
void try_array(const std::vector<T>& x, std::int64_t zeros, answers& seen) {
  detail::moments<T, Checks> moments;
  moments_oracle<T> expected;
  dot_oracle<T> squares;
  for (const T element : x)
    moments.add(element), expected.add(element), squares.add(element, element);
  exact_sums sums = expected.sums();
  sums.n += zeros;
  moments.note_elements(zeros, false);
  const auto wrong = [](T got, const exact_answer& right) {
    return !matches<T>(as_bits(got), right);
  };
  seen.wrong_sums += wrong(moments.squares().value(), squares.value());
  seen.wrong_roots += wrong(moments.squares().root(), squares.root());
  seen.wrong_means += wrong(moments.mean(), sums.mean(false));
  seen.wrong_variances += wrong(moments.variance(1), sums.variance(1));
  seen.wrong_deviations += wrong(moments.deviation(1), sums.deviation(1));
}

template <class T, checks Checks>
answers try_arrays(std::string_view name) {
  answers seen;
  for (const auto& family : families<T>())
    for (std::uint64_t k = 0; family.name == name && k < 500; ++k) {
      random_source random = source_of(2400, k);
      std::vector<T> x(2 + random.below(8));
      family.fill(random, x.data(), x.size());
      try_array<T, Checks>(x, k % 2 ? 1 : std::int64_t(random() >> 2), seen);
    }
  return seen;
}

constexpr checks without(bool checks::*flag) {
  checks left;
  left.*flag = false;
  return left;
}

TEST(exact_rounding, is_right_with_every_check_in_place) {
  for (const auto* name : {"normal", "integers", "exact ties, +- tiny"}) {
    const answers seen = try_arrays<double, detail::all_checks>(name);
    EXPECT_EQ(seen.wrong_sums + seen.wrong_means + seen.wrong_roots, 0) << name;
    EXPECT_EQ(seen.wrong_variances + seen.wrong_deviations, 0) << name;
  }
}

TEST(exact_rounding, without_the_remainders_takes_more_for_ties) {
  const answers seen = try_arrays<double, without(&checks::remainder)>("normal");
  EXPECT_GT(seen.wrong_means, 0);
  EXPECT_GT(seen.wrong_variances, 0);
  const answers ties = try_arrays<double, without(&checks::remainder)>("exact ties, +- tiny");
  EXPECT_GT(ties.wrong_roots, 0);
}

TEST(exact_rounding, without_the_correction_of_quotient_digits_is_wrong) {
  const answers seen = try_arrays<double, without(&checks::add_back)>("normal");
  EXPECT_GT(seen.wrong_means, 0);
  EXPECT_GT(seen.wrong_variances, 0);
  EXPECT_GT(seen.wrong_deviations, 0);
}

TEST(exact_rounding, without_carries_is_wrong) {
  const answers seen = try_arrays<double, without(&checks::carry)>("normal");
  EXPECT_GT(seen.wrong_sums, 0);
  EXPECT_GT(seen.wrong_means, 0);
  EXPECT_GT(seen.wrong_variances, 0);
}

TEST(exact_rounding, without_sticky_bits_is_wrong) {
  const answers seen = try_arrays<double, without(&checks::sticky)>("exact ties, +- tiny");
  EXPECT_GT(seen.wrong_sums + seen.wrong_means, 0);
}

TEST(exact_rounding, of_the_complement_is_wrong) {
  const answers seen = try_arrays<double, without(&checks::sign_magnitude)>("normal");
  EXPECT_GT(seen.wrong_means, 0);
  EXPECT_GT(seen.wrong_variances, 0);
}

}  // namespace
}  // namespace onefold::test
