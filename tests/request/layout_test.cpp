// SPDX-License-Identifier: Apache-2.0
// The layout of a plan's elements, of one view and of two.
#include "request/layout.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

alignas(64) const unsigned char memory[256] = {};

array_view at(axis_list axes, dtype type = dtype::f32, int byte = 64) {
  return {memory + byte, type, axes};
}

layout layout_over(std::initializer_list<int> over, const array_view& x) {
  options how;
  how.axes = over;
  const auto plan = make_plan(executor::cpu{1}, op::sum, x, how);
  EXPECT_TRUE(plan.ok()) << plan.why().message();
  const auto* const first = static_cast<const std::byte*>(x.data()) + plan->origin.x_bytes;
  return layout_of(*plan, first, x.type(), nullptr, x.type());
}

using extents = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

extents extents_of(const layout& layout) {
  return {layout.across, layout.outer, layout.n, layout.inner};
}

TEST(layouts, one_answer) {
  const layout made = layout_over({0}, at({{12, 4}}));
  EXPECT_EQ(made.form, layout_form::full);
  EXPECT_EQ(extents_of(made), extents(1, 1, 12, 1));
  EXPECT_TRUE(made.dense && made.contiguous_items && made.aligned);
  EXPECT_FALSE(layout_over({0}, at({{12, 8}})).contiguous_items);
}

TEST(layouts, rows) {
  const layout made = layout_over({1}, at({{5, 28}, {7, 4}}));
  EXPECT_EQ(made.form, layout_form::rows);
  EXPECT_EQ(extents_of(made), extents(1, 5, 7, 1));
  EXPECT_TRUE(made.dense && made.in_order && made.aligned);
  const layout apart = layout_over({1}, at({{5, 32}, {7, 4}}));
  EXPECT_EQ(apart.form, layout_form::rows);
  EXPECT_FALSE(apart.dense);
  EXPECT_EQ(layout_over({1}, at({{5, 56}, {7, 8}})).form, layout_form::strided);
}

TEST(layouts, rows_that_overlap_have_contiguous_answers_too) {
  const layout made = layout_over({1}, at({{5, 4}, {7, 4}}));
  EXPECT_EQ(made.form, layout_form::rows);
  EXPECT_TRUE(made.contiguous_answers);
  EXPECT_FALSE(made.dense);
}

TEST(layouts, columns) {
  const layout made = layout_over({0}, at({{5, 28}, {7, 4}}));
  EXPECT_EQ(made.form, layout_form::columns);
  EXPECT_EQ(extents_of(made), extents(1, 1, 5, 7));
  EXPECT_TRUE(made.dense && made.in_order);
  const layout blocks = layout_over({1}, at({{2, 140}, {5, 28}, {7, 4}}));
  EXPECT_EQ(extents_of(blocks), extents(1, 2, 5, 7));
  EXPECT_TRUE(blocks.dense);
  const layout apart = layout_over({0, 1}, at({{2, 160}, {5, 28}, {7, 4}}));
  EXPECT_EQ(apart.form, layout_form::columns) << "over two axes";
  EXPECT_EQ(extents_of(apart), extents(1, 1, 10, 7));
  EXPECT_FALSE(apart.dense);
}

TEST(layouts, rows_across_blocks) {
  const layout made = layout_over({0, 2}, at({{3, 140}, {5, 28}, {7, 4}}));
  EXPECT_EQ(made.form, layout_form::across);
  EXPECT_EQ(extents_of(made), extents(3, 5, 7, 1));
  EXPECT_TRUE(made.dense && made.in_order);
  EXPECT_EQ(layout_over({0, 2}, at({{3, 160}, {5, 28}, {7, 4}})).form, layout_form::strided);
}

TEST(layouts, answers_in_another_order) {
  const layout made = layout_over({1}, at({{5, 4}, {7, 60}, {3, 20}}));
  EXPECT_FALSE(made.in_order);
  EXPECT_TRUE(layout_over({1}, at({{3, 20}, {7, 60}, {5, 4}})).in_order);
}

TEST(layouts, alignment_is_of_all_elements) {
  EXPECT_FALSE(layout_over({1}, at({{5, 28}, {7, 4}}, dtype::f32, 65)).aligned);
  EXPECT_FALSE(layout_over({1}, at({{5, 30}, {7, 4}})).aligned);
  EXPECT_TRUE(layout_over({1}, at({{5, 30}, {7, 4}}, dtype::f16)).aligned);
  EXPECT_TRUE(layout_over({1}, at({{5, -4}, {3, -8}}, dtype::f32, 128)).aligned);
}

TEST(layouts, a_second_view_counts_where_the_operator_has_two) {
  options how;
  how.axes = {1};
  const array_view x = at({{5, 28}, {7, 4}}), odd = at({{5, 56}, {7, 8}}, dtype::f64, 68);
  const array_view wide = at({{5, 56}, {7, 8}}, dtype::f64);
  const auto plan = make_plan(executor::cpu{1}, op::dot, {x, wide}, how);
  ASSERT_TRUE(plan.ok());
  const layout made = layout_of(*plan, x.data(), x.type(), wide.data(), wide.type());
  EXPECT_TRUE(made.contiguous_items && made.aligned) << "each by its own size";
  EXPECT_FALSE(layout_of(*plan, x.data(), x.type(), odd.data(), odd.type()).aligned);
  EXPECT_FALSE(layout_of(*plan, x.data(), x.type(), x.data(), x.type()).contiguous_items);
}

TEST(layouts, dense_outputs) {
  float answers[12] = {};
  EXPECT_TRUE(is_dense({answers, dtype::f32, {{3, 16}, {4, 4}}}));
  EXPECT_TRUE(is_dense({answers, dtype::f32, {{3, 4}, {1, 99}}}));
  EXPECT_FALSE(is_dense({answers, dtype::f32, {{4, 4}, {3, 16}}}));
  EXPECT_FALSE(is_dense({answers, dtype::f32, {{3, 8}}}));
  EXPECT_FALSE(is_dense({reinterpret_cast<char*>(answers) + 2, dtype::f32, {{2, 4}}}));
}

}  // namespace
}  // namespace onefold::test
