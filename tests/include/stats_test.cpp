// SPDX-License-Identifier: Apache-2.0
// Every statistic in one pass: the answers are those of the operators asked for alone.
#include "onefold/stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(stats, are_the_answers_of_the_operators_alone) {
  const std::vector<float> x = {3, -0.1f, 1e30f, 7, -2};
  const statistics got = stats(x, {.correction = 1});
  const auto alone = [&](op op) {
    return try_reduce<double>(executor{}, op, x, {.correction = 1}).value();
  };
  EXPECT_EQ(got.count, 5);
  EXPECT_EQ(got.nan_count, 0);
  EXPECT_EQ(got.sum, alone(op::sum));
  EXPECT_EQ(got.mean, alone(op::mean));
  EXPECT_EQ(got.var, alone(op::var));
  EXPECT_EQ(got.std_dev, alone(op::stddev));
  EXPECT_EQ(got.norm2, alone(op::norm2));
  EXPECT_EQ(got.min, -2);
  EXPECT_EQ(got.max, double(1e30f));
  EXPECT_EQ(got.argmin, 4);
  EXPECT_EQ(got.argmax, 2);
}

TEST(stats, count_nans_under_every_policy) {
  const std::vector<double> x = {1, nan, 3};
  const statistics spoiled = stats(x), left = stats(x, {.nan_policy = nan_policy::omit});
  for (const statistics& got : {spoiled, left}) {
    EXPECT_EQ(got.count, 2);
    EXPECT_EQ(got.nan_count, 1);
  }
  EXPECT_TRUE(std::isnan(spoiled.sum) && std::isnan(spoiled.min));
  EXPECT_EQ(spoiled.argmin, 1);
  EXPECT_EQ(left.sum, 4);
  EXPECT_EQ(left.argmax, 2);
  EXPECT_EQ(try_stats(executor{}, x, {.nan_policy = nan_policy::error}).why().code(),
            status_code::not_a_number);
}

TEST(stats, of_nothing_are_no_failure) {
  const statistics got = stats(std::vector<double>());
  EXPECT_EQ(got.count, 0);
  EXPECT_EQ(got.sum, 0);
  EXPECT_EQ(got.norm2, 0);
  EXPECT_TRUE(std::isnan(got.mean) && std::isnan(got.std_dev) && std::isnan(got.max));
  EXPECT_EQ(got.argmin, -1);
}

TEST(stats, are_of_all_axes) {
  const std::vector<double> x = {1, 2, 3, 4};
  const view<double> square(x.data(), {2, 2});
  EXPECT_EQ(stats(square).sum, 10);
  EXPECT_EQ(try_stats(executor{}, square, {.axes = axis(0)}).why().code(),
            status_code::unsupported);
}

}  // namespace
}  // namespace onefold::test
