// SPDX-License-Identifier: Apache-2.0
// The steps that explain reduce/exact are what they say: exact, in any order, rounded once.

#include "ladder/reduce/exact_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace onefold::ladder::test {
namespace {

std::vector<float> elements() {
  const auto usual = usual_exact_elements();
  return {usual.begin(), usual.end()};
}

TEST(exact_steps, take_every_element_whole) {
  for (const exact_step& s : exact_example_of(elements()).steps) {
    EXPECT_EQ(s.left, 0);
    EXPECT_EQ(s.taken[0] + s.taken[1] + s.taken[2], s.element);
  }
}

TEST(exact_steps, use_each_of_the_three_sums) {
  const exact_example example = exact_example_of(elements());
  for (std::size_t i = 0; i < example.units.size(); ++i) {
    EXPECT_TRUE(std::any_of(example.steps.begin(), example.steps.end(), [i](const exact_step& s) {
      return s.taken[i] != 0;
    })) << i;
  }
}

TEST(exact_steps, have_the_same_integers_in_every_order) {
  const exact_example example = exact_example_of(elements());
  std::vector<float> order = elements();
  std::sort(order.begin(), order.end());
  do {
    const exact_example other = exact_example_of(order);
    EXPECT_EQ(other.units, example.units);
    EXPECT_EQ(other.rounded, example.rounded);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(exact_steps, are_right_where_a_loop_is_not) {
  const exact_example example = exact_example_of(elements());
  EXPECT_EQ(example.rounded, 0.75f);
  EXPECT_NE(example.float_loop, example.rounded);
  EXPECT_NE(to_text(example).find("rounded once: 0.75;"), std::string::npos) << to_text(example);
}

TEST(exact_steps, leave_what_no_window_holds) {
  const float tiny = 0x1p-60f;
  EXPECT_EQ(exact_example_of(std::span(&tiny, 1)).steps[0].left, tiny);
}

}  // namespace
}  // namespace onefold::ladder::test
