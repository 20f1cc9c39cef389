// SPDX-License-Identifier: Apache-2.0
// Axes have one meaning wherever they are named, and options without a meaning are refused.
#include "onefold/axis_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "onefold/custom.hpp"
#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

const double x[] = {1, 2, 3, 4, 5, 6};
const view<double> matrix(x, {2, 3});

struct counter {
  int count = 0;
  void add(double) { ++count; }
  void merge(const counter& next) { count += next.count; }
};

bool says(const status& why, const char* word) {
  return why.message().find(word) != std::string::npos;
}

// What has one axis, or one answer of all of them, has no axes to choose or to keep.
TEST(OneAxis, HasNoPlaceForOptionsOfAxes) {
  const double line[] = {1, 2, 3};
  const std::int64_t cuts[] = {0, 3}, keys[] = {1, 1, 2};
  for (const options& how : {options{.keepdims = true}, options{.over = axis(0)}}) {
    windows pieces(executor{}, op::sum, dtype::f64, how);
    const status refused[] = {try_segments<op::sum>(line, cuts, how).why(),
                              try_by_key<op::sum>(keys, line, how).why(),
                              try_stats(executor{}, line, how).why(),
                              try_partial(executor{}, op::sum, line, how).why(), pieces.add(line)};
    for (const status& why : refused)
      EXPECT_EQ(why.code(), status_code::unsupported) << why.message();
  }
  const auto fine = try_segments<op::sum>(line, cuts);
  ASSERT_TRUE(fine.ok());
  EXPECT_EQ((*fine)[0], 6);
}

}  // namespace
}  // namespace onefold::test
