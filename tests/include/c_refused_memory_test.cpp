// SPDX-License-Identifier: Apache-2.0
// Every function of the C interface with each of its allocations refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "onefold/onefold.h"
#include "support/refused_memory.hpp"

namespace onefold::test {
namespace {

status_code code(onefold_status status) {
  return status_code(status);
}

struct numbers {
  std::vector<double> x = std::vector<double>(150'000, 0.1);
  std::int64_t extents[2] = {300, 500}, short_extents[1] = {7};
  double answers[500] = {};
  std::int32_t rows[1] = {0}, far_axes[1] = {9};
  onefold_array matrix = {x.data(), ONEFOLD_F64, 2, extents, nullptr};
  onefold_array sums = {answers, ONEFOLD_F64, 1, extents + 1, nullptr};
  onefold_array one = {answers, ONEFOLD_F64, 0, nullptr, nullptr};
  onefold_array few = {answers, ONEFOLD_F64, 1, short_extents, nullptr};
};

TEST(refused_memory_in_c, is_a_status_of_every_reduction) {
  numbers data;
  const auto n = std::int64_t(data.x.size());
  float narrow[] = {1, 2, 3}, f = 0;
  double d = 0;
  expect_only_statuses("sum_f64", [&] { return code(onefold_sum_f64(data.x.data(), n, &d)); });
  expect_only_statuses("sum_f32", [&] { return code(onefold_sum_f32(narrow, 3, &f)); });
  expect_only_statuses("dot_f64",
                       [&] { return code(onefold_dot_f64(data.x.data(), data.x.data(), n, &d)); });
  expect_only_statuses("dot_f32", [&] { return code(onefold_dot_f32(narrow, narrow, 3, &f)); });
  expect_only_statuses("sum_f64 of NULL", [&] { return code(onefold_sum_f64(nullptr, n, &d)); });
  onefold_options how = {};
  how.size = sizeof how, how.axes = data.rows, how.axis_count = 1, how.threads = 2;
  const onefold_array both[] = {data.matrix, data.matrix};
  for (int op = ONEFOLD_SUM; op <= int(ONEFOLD_LOGSUMEXP); ++op) {
    const auto kind = onefold_op(op);
    const int views = kind == ONEFOLD_DOT ? 2 : 1;
    expect_only_statuses("reduce, operator " + std::to_string(op),
                         [&] { return code(onefold_reduce(kind, both, views, &data.sums, &how)); });
    expect_only_statuses("reduce all, operator " + std::to_string(op), [&] {
      return code(onefold_reduce(kind, both, views, &data.one, nullptr));
    });
    expect_only_statuses("reduce to another shape, operator " + std::to_string(op),
                         [&] { return code(onefold_reduce(kind, both, views, &data.few, &how)); });
  }
  how.axes = data.far_axes;
  expect_only_statuses("reduce of no axis", [&] {
    return code(onefold_reduce(ONEFOLD_SUM, both, 1, &data.sums, &how));
  });
  how.size = 3;
  expect_only_statuses("reduce of bad options", [&] {
    return code(onefold_reduce(ONEFOLD_SUM, both, 1, &data.sums, &how));
  });
}

TEST(refused_memory_in_c, is_a_status_of_every_function_of_states) {
  numbers data;
  double answers[2] = {};
  for (const onefold_op op : {ONEFOLD_SUM, ONEFOLD_VAR, ONEFOLD_ARGMAX, ONEFOLD_ANY}) {
    onefold_state* const state = onefold_state_new(op, ONEFOLD_F64);
    onefold_state* const other = onefold_state_new(op, ONEFOLD_F32);
    onefold_state* const more = onefold_state_new(op, ONEFOLD_F64);
    ASSERT_NE(state, nullptr);
    // NULL stands for a status here.
    const auto made = [](onefold_state* fresh) {
      onefold_state_free(fresh);
      return fresh != nullptr ? status_code::ok : status_code::out_of_memory;
    };
    expect_only_statuses("state_new", [&] { return made(onefold_state_new(op, ONEFOLD_F64)); });
    expect_only_statuses("state_add", [&] { return code(onefold_state_add(state, &data.matrix)); });
    expect_only_statuses("state_merge", [&] { return code(onefold_state_merge(state, more)); });
    expect_only_statuses("state_merge, refused",
                         [&] { return code(onefold_state_merge(state, other)); });
    expect_only_statuses("state_write",
                         [&] { return code(onefold_state_write(state, answers, ONEFOLD_F64)); });
    expect_only_statuses("state_write, refused",
                         [&] { return code(onefold_state_write(state, answers, ONEFOLD_BOOL)); });
    std::vector<unsigned char> bytes(onefold_state_bytes(state, nullptr, 0));
    expect_only_statuses("state_bytes", [&] {
      const std::size_t size = onefold_state_bytes(state, bytes.data(), bytes.size());
      return size == bytes.size() ? status_code::ok : status_code::out_of_memory;
    });
    expect_only_statuses("state_from_bytes", [&] {
      return made(onefold_state_from_bytes(bytes.data(), bytes.size()));
    });
    expect_only_statuses("state_from_bytes, refused",
                         [&] { return made(onefold_state_from_bytes(bytes.data(), 5)); });
    onefold_state_free(state), onefold_state_free(other), onefold_state_free(more);
  }
}

// The message too needs no memory.
TEST(refused_memory_in_c, leaves_a_message) {
  numbers data;
  onefold_status status{};
  {
    const refused_memory refusal(1, true);
    status = onefold_reduce(ONEFOLD_VAR, &data.matrix, 1, &data.one, nullptr);
  }
  EXPECT_EQ(status, ONEFOLD_OUT_OF_MEMORY);
  EXPECT_STREQ(onefold_last_message(), "no memory");
}

}  // namespace
}  // namespace onefold::test
