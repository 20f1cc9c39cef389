// SPDX-License-Identifier: Apache-2.0
// The states of many answers: each is the state of its elements alone.
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"
#include "state/element_types.hpp"
#include "support/views.hpp"

namespace onefold::test {
namespace {

// The elements of answer k; over: whether an axis is reduced.
array_view elements_of(const array_view& x, const std::vector<bool>& over, std::int64_t k) {
  axis_list axes;
  std::int64_t offset = 0;
  for (int i = x.rank() - 1; i >= 0; --i) {
    const auto& axis = x.axes()[i];
    if (over[std::size_t(i)]) continue;
    offset += k % axis.extent * axis.stride_bytes;
    k /= axis.extent;
  }
  for (int i = 0; i < x.rank(); ++i)
    if (over[std::size_t(i)]) axes.push_back(x.axes()[i]);
  return {static_cast<const std::byte*>(x.data()) + offset, x.type(), axes};
}

struct states_by_index {
  std::mutex mutex;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<int> calls;

  explicit states_by_index(std::int64_t n) : bytes(std::size_t(n)), calls(std::size_t(n)) {}
  state_taker taker() {
    return [this](std::int64_t index, const state& part) {
      const std::lock_guard lock(mutex);
      bytes.at(std::size_t(index)) = part.bytes();
      ++calls.at(std::size_t(index));
    };
  }
};

std::int64_t answers(const array_view& x, const options& options) {
  std::int64_t n = 1;
  for (const std::int64_t extent : answer_shape(x, options)) n *= extent;
  return n;
}

void expect_states_of_parts(op op, const std::vector<array_view>& views,
                            const std::vector<bool>& over, int threads, const std::string& where) {
  options options;
  std::vector<int> axes;
  for (std::size_t i = 0; i < over.size(); ++i)
    if (over[i]) axes.push_back(int(i));
  options.axes = axis_set(std::span<const int>(axes));
  options.first_index = 7;
  const std::int64_t n = answers(views[0], options);
  states_by_index found(n);
  const executor on = executor::cpu{.threads = threads};
  const bool two = views.size() == 2;
  const status done = two ? partials(on, op, {views[0], views[1]}, found.taker(), options)
                          : partials(on, op, {views[0]}, found.taker(), options);
  ASSERT_TRUE(done.ok()) << where << done.message();
  onefold::options whole;
  whole.first_index = 7;
  for (std::int64_t k = 0; k < n; ++k) {
    ASSERT_EQ(found.calls[std::size_t(k)], 1) << where << k;
    const auto part = elements_of(views[0], over, k);
    const state wanted =
        two ? partial(op, {part, elements_of(views[1], over, k)}, whole) : partial(op, part, whole);
    ASSERT_EQ(found.bytes[std::size_t(k)], wanted.bytes()) << where << name(op) << " " << k;
  }
}

TEST(partials, are_the_states_of_the_elements_of_each_answer) {
  for (std::uint64_t k = 0; k < std::uint64_t(cases(300)); ++k) {
    random_source random = source_of(2401, k);
    const dtype type = all_dtypes[random.below(std::size(all_dtypes))];
    const int rank = random.between(0, 4);
    const random_view x = make_view(random, type, rank, 600);
    std::vector<bool> over;
    for (int i = 0; i < rank; ++i) over.push_back(random.one_in(2));
    op op = all_ops[random.below(std::size(all_ops))];
    while (!check_element_type(op, type).ok()) op = all_ops[random.below(std::size(all_ops))];
    std::vector<array_view> views(op == op::dot ? 2 : 1, x.view());
    expect_states_of_parts(op, views, over, random.between(1, 3),
                           "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + " " + text_of(x) + " ");
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Long columns in blocks, and few answers of many elements each by all threads.
TEST(partials, of_large_arrays_are_those_states_too) {
  random_source random = source_of(2402, 0);
  std::vector<double> x(600'000);
  for (double& each : x) each = std::ldexp(random.normal(), random.between(-90, 90));
  const std::int64_t shapes[][2] = {{60, 10'000}, {10'000, 60}, {2, 300'000}, {300'000, 2}};
  for (const auto& [rows, columns] : shapes) {
    const view<double> table(x.data(), {rows, columns});
    for (const op op : {op::sum, op::stddev, op::logsumexp, op::argmax})
      for (const bool first : {true, false})
        if ((first ? columns : rows) <= 10'000)
          expect_states_of_parts(op, {table}, {first, !first}, 2,
                                 std::to_string(rows) + " x " + std::to_string(columns) + " ");
  }
}

TEST(partials, refuse_what_has_no_state) {
  const double x[6] = {};
  const view<double> table(x, {2, 3});
  const state_taker none = [](std::int64_t, const state&) { FAIL(); };
  EXPECT_EQ(partials({}, op::sum, {table}, none, {.accuracy = accuracy::fast}).code(),
            status_code::unsupported);
  EXPECT_EQ(partials({}, op::sum, {table}, none, {.initial = 1.0}).code(),
            status_code::unsupported);
  EXPECT_EQ(try_partial({}, op::sum, table, {.initial = 1.0}).why().code(),
            status_code::unsupported);
  EXPECT_EQ(partials({}, op::dot, {table}, none).code(), status_code::mismatch);
  EXPECT_EQ(partials({}, op::sum, {table}, none, {.axes = axis(2)}).code(), status_code::mismatch);
  const view<double> empty(x, {2, 0});
  EXPECT_TRUE(partials({}, op::sum, {empty}, none, {.axes = axis(0)}).ok());
}

}  // namespace
}  // namespace onefold::test
