// SPDX-License-Identifier: Apache-2.0
// An initial value is one more element, NaN or not, of exact and of fast answers.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr op all_that_take_one[] = {op::sum, op::prod, op::min, op::max, op::norminf};

double answer(op what, const std::vector<double>& x, const options& how) {
  return try_reduce<double>(executor{}, what, x, how).value();
}

TEST(initial_value, is_one_more_element) {
  for (const accuracy accurate : {accuracy::exact, accuracy::fast})
    for (const op what : all_that_take_one) {
      options with;
      with.accuracy = accurate, with.initial = 5;
      EXPECT_EQ(answer(what, {3, -7}, with), answer(what, {3, -7, 5}, {.accuracy = accurate}))
          << name(what);
      EXPECT_EQ(answer(what, {}, with), 5) << name(what);
    }
}

TEST(initial_value, that_is_nan_is_treated_as_the_policy_says) {
  for (const accuracy accurate : {accuracy::exact, accuracy::fast})
    for (const op what : all_that_take_one) {
      options with;
      with.accuracy = accurate, with.initial = nan;
      const double propagated = answer(what, {3, -7}, with);
      EXPECT_NE(propagated, propagated) << name(what);
      with.nan_policy = nan_policy::omit;
      EXPECT_EQ(answer(what, {3, -7}, with), answer(what, {3, -7}, {.accuracy = accurate}))
          << name(what);
      with.nan_policy = nan_policy::error;
      const auto refused = try_reduce<double>(executor{}, what, std::vector<double>{3, -7}, with);
      EXPECT_EQ(refused.why().code(), status_code::not_a_number) << name(what);
    }
}

}  // namespace
}  // namespace onefold::test
