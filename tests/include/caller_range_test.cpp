// SPDX-License-Identifier: Apache-2.0
// Answers into a range of the caller's.
#include <gtest/gtest.h>

#include <array>
#include <span>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

const float x[] = {1, 2, 3, 4, 5, 6};
const view<float> matrix(x, {2, 3});

TEST(callers_range, takes_the_answers_in_row_major_order) {
  std::vector<double> sums(3, -1);
  ASSERT_TRUE(reduce({}, op::sum, matrix, sums, {.axes = axis(0)}).ok());
  EXPECT_EQ(sums, (std::vector<double>{5, 7, 9}));
  float rows[2] = {};
  ASSERT_TRUE(reduce({}, op::max, matrix, rows, {.axes = axis(1)}).ok());
  EXPECT_EQ(rows[1], 6);
  std::array<float, 1> all{};
  ASSERT_TRUE(reduce({}, op::sum, matrix, all).ok());
  EXPECT_EQ(all[0], 21);
  ASSERT_TRUE(reduce({}, op::sum, matrix, std::span(rows).first(2), {.axes = axis(1)}).ok());
  EXPECT_EQ(rows[0], 6);
}

TEST(callers_range, has_both_ends_of_a_minmax_side_by_side) {
  std::vector<float> ends(4);
  ASSERT_TRUE(reduce({}, op::minmax, matrix, ends, {.axes = axis(1)}).ok());
  EXPECT_EQ(ends, (std::vector<float>{1, 3, 4, 6}));
}

TEST(callers_range, of_another_length_is_refused_untouched) {
  std::vector<float> sums(4, -1);
  const auto refused = reduce({}, op::sum, matrix, sums, {.axes = axis(0)});
  EXPECT_EQ(refused.code(), status_code::mismatch);
  EXPECT_NE(refused.message().find("room for 4 answers, and 3"), std::string::npos)
      << refused.message();
  EXPECT_EQ(sums, std::vector<float>(4, -1));
  EXPECT_EQ(reduce({}, op::sum, matrix, sums, {.axes = axis(7)}).code(), status_code::mismatch);
}

TEST(callers_range, refuses_more_axes_than_there_are) {
  axis_list axes;
  for (int i = 0; i < max_rank; ++i) axes.push_back({1, 4});
  float ends[2] = {-1, -1};
  const array_view deep(x, dtype::f32, axes);
  EXPECT_EQ(reduce({}, op::minmax, deep, ends, {.keepdims = true}).code(), status_code::mismatch);
  EXPECT_TRUE(reduce({}, op::minmax, deep, ends).ok());
}

}  // namespace
}  // namespace onefold::test
