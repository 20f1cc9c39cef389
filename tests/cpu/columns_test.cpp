// SPDX-License-Identifier: Apache-2.0
// Answers of columns, by whatever block they go through, against each column alone: the same bits,
// positions and status. A column alone is one strided view, which axes_test judges by itself.
#include <gtest/gtest.h>

#include <cstring>

#include "onefold/onefold.hpp"
#include "support/elements.hpp"
#include "support/random.hpp"

namespace onefold::test {
namespace {

struct columns_case {
  onefold::op op;
  dtype type;
  options how;
  std::int64_t outer, rows, columns, gap;  // gap: elements between two rows that no column has
  int threads;

  std::int64_t row_items() const { return columns + gap; }
  std::int64_t items() const { return outer * rows * row_items(); }
};

// Few rows, or more than one block or chunk of them.
columns_case any_case(random_source& random) {
  columns_case made{};
  made.op = all_ops[random.below(std::size(all_ops))];
  made.type = all_dtypes[random.below(std::size(all_dtypes))];
  const bool ordered = made.op == op::var || made.op == op::stddev || made.op == op::prod;
  if (ordered && random.one_in(2)) made.how.accuracy = accuracy::fast;
  made.how.first_index = random.between(-5, 5);
  made.outer = random.between(1, 3);
  made.columns = random.between(1, random.one_in(2) ? 20 : 150);
  made.rows = random.between(1, 70);
  if (random.one_in(6)) made.outer = 1, made.columns = random.between(4, 40), made.rows = 8193;
  if (random.one_in(12)) made.outer = 1, made.columns = random.between(4, 9), made.rows = 65540;
  made.gap = random.one_in(2) ? 0 : random.between(0, 9);
  made.threads = int(random.between(1, 3));
  return made;
}

std::vector<std::byte> elements_of(const columns_case& c, random_source& random) {
  std::vector<std::byte> bytes(std::size_t(c.items()) * size_bytes(c.type));
  for (auto& byte : bytes) byte = std::byte(random());
  return bytes;
}

array_view view_of(const columns_case& c, const std::vector<std::byte>& bytes) {
  const auto item = std::int64_t(size_bytes(c.type));
  const std::int64_t row = c.row_items() * item;
  return array_view(bytes.data(), c.type,
                    {{c.outer, c.rows * row}, {c.rows, row}, {c.columns, item}});
}
array_view column_of(const columns_case& c, const std::vector<std::byte>& bytes, std::int64_t k) {
  const auto item = std::int64_t(size_bytes(c.type));
  const std::int64_t at = k / c.columns * c.rows * c.row_items() + k % c.columns;
  return array_view(bytes.data() + at * item, c.type, {{c.rows, c.row_items() * item}});
}

status reduce_views(const columns_case& c, const array_view& x, const array_view& y, void* to,
                    const std::vector<std::int64_t>& shape, const options& how) {
  auto extents = shape;
  if (answers_of(c.op) > 1) extents.push_back(answers_of(c.op));
  const dtype type = default_output(c.op, c.type);
  const output_view output(to, type, row_major(extents, std::int64_t(size_bytes(type))));
  const executor::cpu on{c.threads};
  if (c.op == op::dot) return reduce(on, c.op, {x, y}, output, how);
  return reduce(on, c.op, {x}, output, how);
}

std::string text_of(const columns_case& c) {
  return std::string(name(c.op)) + " " + std::string(name(c.type)) + " " +
         std::string(name(c.how.accuracy)) + " " + std::to_string(c.outer) + " x " +
         std::to_string(c.rows) + " x " + std::to_string(c.columns) + " gap " +
         std::to_string(c.gap);
}

void check_case(const columns_case& c, random_source& random) {
  const auto x = elements_of(c, random), y = elements_of(c, random);
  const std::size_t answer =
      size_bytes(default_output(c.op, c.type)) * std::size_t(answers_of(c.op));
  const std::size_t outputs = std::size_t(c.outer * c.columns);
  std::vector<std::byte> together(answer * outputs), alone(answer * outputs);
  options how = c.how;
  how.axes = axis(1);
  const status done =
      reduce_views(c, view_of(c, x), view_of(c, y), together.data(), {c.outer, c.columns}, how);
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto index = std::int64_t(k);
    const status one = reduce_views(c, column_of(c, x, index), column_of(c, y, index),
                                    alone.data() + k * answer, {}, c.how);
    if (!one.ok()) {
      ASSERT_EQ(done.code(), one.code()) << text_of(c) << ", column " << k;
      return;
    }
  }
  ASSERT_TRUE(done.ok()) << text_of(c) << ": " << done.message();
  for (std::size_t k = 0; k < outputs; ++k)
    ASSERT_EQ(std::memcmp(together.data() + k * answer, alone.data() + k * answer, answer), 0)
        << text_of(c) << ", column " << k;
}

TEST(columns, answer_as_each_column_alone) {
  random_source random(seed());
  for (std::int64_t i = 0; i < cases(300); ++i) {
    check_case(any_case(random), random);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace onefold::test
