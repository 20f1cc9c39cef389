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

double answer(op op, const std::vector<double>& x, const options& how) {
  return try_reduce<double>(executor{}, op, x, how).value();
}

TEST(initial_value, is_one_more_element) {
  for (const accuracy accurate : {accuracy::exact, accuracy::fast})
    for (const op op : all_that_take_one) {
      options with;
      with.accuracy = accurate, with.initial = 5;
      EXPECT_EQ(answer(op, {3, -7}, with), answer(op, {3, -7, 5}, {.accuracy = accurate}))
          << name(op);
      EXPECT_EQ(answer(op, {}, with), 5) << name(op);
    }
}

TEST(initial_value, that_is_nan_is_treated_as_the_policy_says) {
  for (const accuracy accurate : {accuracy::exact, accuracy::fast})
    for (const op op : all_that_take_one) {
      options with;
      with.accuracy = accurate, with.initial = nan;
      const double propagated = answer(op, {3, -7}, with);
      EXPECT_NE(propagated, propagated) << name(op);
      with.nan_policy = nan_policy::omit;
      EXPECT_EQ(answer(op, {3, -7}, with), answer(op, {3, -7}, {.accuracy = accurate})) << name(op);
      with.nan_policy = nan_policy::error;
      const auto refused = try_reduce<double>(executor{}, op, std::vector<double>{3, -7}, with);
      EXPECT_EQ(refused.why().code(), status_code::not_a_number) << name(op);
    }
}

}  // namespace
}  // namespace onefold::test
