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

TEST(axis_set, of_no_number_is_no_axis) {
  const std::vector<int> nothing;
  for (const axis_set& none : {axis(), axis_set(), axis_set{}, axis_set(std::span(nothing))}) {
    EXPECT_FALSE(none.all());
    EXPECT_TRUE(none.list().empty());
    EXPECT_EQ(none, axis());
    const auto each = sum(matrix, none);
    EXPECT_EQ(each.shape(), (std::vector<std::int64_t>{2, 3}));
    EXPECT_TRUE(std::equal(each.begin(), each.end(), x));
    EXPECT_EQ(reduce_with(counter(), matrix, none).size(), 6u);
  }
  options how;
  how.axes = {};
  EXPECT_FALSE(how.axes.all()) << "braces name no axis";
}

TEST(axis_set, of_all_axes_is_the_default_of_options_and_has_a_name) {
  EXPECT_TRUE(options().axes.all());
  EXPECT_EQ(options().axes, axis_set(all_axes));
  EXPECT_NE(options().axes, axis());
  const auto whole = sum(matrix, all_axes);
  EXPECT_TRUE(whole.shape().empty());
  EXPECT_EQ(whole[0], 21);
  const auto kept = sum(matrix, all_axes, {.keepdims = true});
  EXPECT_EQ(kept.shape(), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(kept[0], 21);
  EXPECT_EQ(sum(matrix, options{.axes = axis(0, 1)}), 21) << "all of them by number";
}

// The caller gave no output that could be wrong.
TEST(one_value, refuses_options_that_keep_axes_and_names_the_call) {
  const std::vector<double> line = {1, 2};
  const auto twice = [](double value) { return 2 * value; };
  const options kept = {.keepdims = true}, by_row = {.axes = axis(1)}, nothing = {.axes = axis()};
  for (const options& how : {kept, by_row, nothing}) {
    const status refused[] = {try_sum(matrix, how).why(), try_max(matrix, how).why(),
                              try_reduce<double>({}, op::var, matrix, how).why()};
    for (const status& why : refused) {
      EXPECT_EQ(why.code(), status_code::mismatch);
      EXPECT_TRUE(says(why, "all_axes")) << why.message();
      EXPECT_FALSE(says(why, "the output")) << why.message();
    }
  }
  for (const options& how : {kept, nothing}) {
    const status refused[] = {try_sum(line, how).why(), try_sum(line, twice, how).why(),
                              try_dot(line, line, how).why(), try_minmax(line, how).why(),
                              try_reduce_with(counter(), line, how.keepdims ? nothing : how).why()};
    for (const status& why : refused) {
      EXPECT_EQ(why.code(), status_code::mismatch);
      EXPECT_TRUE(says(why, "one value")) << why.message();
    }
  }
  EXPECT_TRUE(says(try_sum(matrix, options{.axes = axis(7)}).why(), "axis 7"));
  EXPECT_TRUE(says(try_reduce<double>({}, op::minmax, matrix).why(), "two answers"));
  const double element = 4;
  EXPECT_EQ(sum(view<double>(&element, axis_list()), options{.keepdims = true}), 4)
      << "rank 0 has no axis to keep";
}

// What has one axis, or one answer of all of them, has no axes to choose or to keep.
TEST(one_axis, refuses_options_of_axes) {
  const double line[] = {1, 2, 3};
  const std::int64_t cuts[] = {0, 3}, keys[] = {1, 1, 2};
  for (const options& how : {options{.keepdims = true}, options{.axes = axis(0)}}) {
    windows pieces(executor{}, op::sum, dtype::f64, how);
    const status refused[] = {try_segments<op::sum>(line, cuts, how).why(),
                              try_by_key<op::sum>(keys, line, how).why(),
                              try_partial(executor{}, op::sum, line, how).why(), pieces.add(line)};
    for (const status& why : refused)
      EXPECT_EQ(why.code(), status_code::unsupported) << why.message();
  }
  EXPECT_EQ(try_stats(executor{}, line, {.keepdims = true}).why().code(), status_code::unsupported);
  EXPECT_TRUE(try_stats(executor{}, line, {.axes = axis(0)}).ok()) << "all axes that there are";
  const auto fine = try_segments<op::sum>(line, cuts);
  ASSERT_TRUE(fine.ok());
  EXPECT_EQ((*fine)[0], 6);
}

TEST(own_operator, refuses_options_that_it_would_have_to_know) {
  const std::pair<options, const char*> cases[] = {
      {options{.nan_policy = nan_policy::omit}, "options::nan_policy"},
      {options{.nan_policy = nan_policy::error}, "options::nan_policy"},
      {options{.initial = 5}, "options::initial"},
      {options{.accuracy = accuracy::fast}, "options::accuracy"},
      {options{.keepdims = true}, "options::keepdims"},
  };
  const piece_taker take = [](std::int64_t, std::int64_t, const void*, std::int64_t, std::int64_t) {
    ADD_FAILURE() << "refused at once";
  };
  for (const auto& [how, word] : cases) {
    const status refused[] = {try_reduce_with(counter(), matrix, axis(0), how).why(),
                              walk_of(matrix, how).why(), walk({}, matrix, how, take)};
    for (const status& why : refused) {
      EXPECT_EQ(why.code(), status_code::unsupported);
      EXPECT_TRUE(says(why, word)) << why.message();
    }
  }
  EXPECT_EQ(reduce_with(counter(), matrix, axis(0), {.first_index = 3}).size(), 3u);
}

// Two answers in one place: the second would overwrite the first.
TEST(output, whose_answers_share_bytes_is_refused) {
  double to[16] = {};
  const double untouched[16] = {};
  const auto refused = [&](op op, const axis_list& axes, const options& how) {
    const auto done = reduce({}, op, {matrix}, output_view(to, dtype::f64, axes), how);
    EXPECT_EQ(done.code(), status_code::mismatch);
    EXPECT_TRUE(says(done, "share bytes")) << done.message();
  };
  const options rows = {.axes = axis(1)}, each = {.axes = axis()};
  refused(op::sum, {{2, 0}}, rows);
  refused(op::sum, {{2, 4}}, rows);
  refused(op::sum, {{2, -7}}, rows);
  refused(op::sum, {{2, 0}, {3, 8}}, each);
  refused(op::sum, {{2, 16}, {3, 8}}, each);
  refused(op::sum, {{2, std::numeric_limits<std::int64_t>::min()}, {3, 8}}, each);
  refused(op::minmax, {{2, 8}, {2, 8}}, rows);
  const std::int64_t cuts[] = {0, 2, 6};
  const output_view same(to, dtype::f64, {{2, 0}});
  const std::span<const double> line(x);
  EXPECT_TRUE(says(reduce_segments({}, op::sum, line, cuts, same), "share bytes"));
  std::int64_t keys[6] = {1, 1, 2, 2, 2, 2}, found[2];
  const auto make = [&](std::int64_t) { return group_outputs{found, same}; };
  EXPECT_TRUE(says(reduce_by_key({}, op::sum, keys, line, make), "share bytes"));
  const element_map copy = [](const void* from, std::int64_t n, void* at) {
    std::memcpy(at, from, std::size_t(n) * sizeof(double));
  };
  EXPECT_TRUE(
      says(reduce_mapped({}, op::sum, matrix, dtype::f64, copy, same, rows), "share bytes"));
  EXPECT_TRUE(std::equal(to, to + 16, untouched)) << "nothing is written";
}

TEST(output, of_one_answer_has_any_stride_and_others_may_have_gaps) {
  double to[16] = {};
  const options columns = {.axes = axis(0), .keepdims = true};
  const output_view backwards(to + 2, dtype::f64, {{1, 0}, {3, -8}});
  ASSERT_TRUE(reduce({}, op::sum, {matrix}, backwards, columns));
  EXPECT_EQ(to[0], 9);
  EXPECT_EQ(to[2], 5);
  const output_view turned(to, dtype::f64, {{2, 8}, {3, 40}});
  ASSERT_TRUE(reduce({}, op::sum, {matrix}, turned, {.axes = axis()}));
  EXPECT_EQ(to[11], 6);
}

}  // namespace
}  // namespace onefold::test
