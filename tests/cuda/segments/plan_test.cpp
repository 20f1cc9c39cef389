// SPDX-License-Identifier: Apache-2.0
// Which kernel has the rows of extrema, counts and positions, and fast ones of 16 bits.
#include "cuda/segments/plan.hpp"

#include <gtest/gtest.h>

#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

enum class way { columns, segments, none };

alignas(16) const unsigned char memory[64] = {};

// Rows of n elements from `at` on, on a device of 100 multiprocessors.
way way_of(std::int64_t rows, std::int64_t n, dtype type = dtype::f32, op what = op::max,
           const void* at = memory) {
  const std::vector<std::int64_t> shape = {rows, n};
  const array_view x(at, type, row_major(shape, std::int64_t(size_bytes(type))));
  options how;
  how.axes = {1};
  const auto plan = make_plan(executor::cpu{}, what, x, how);
  EXPECT_TRUE(plan.ok());
  const dtype output = default_output(what, type);
  if (const auto columns = columns_work_of(*plan, what, at, output, 100)) {
    EXPECT_EQ(columns->block.outer, rows);
    EXPECT_EQ(columns->block.n, n);
    EXPECT_EQ(columns->block.inner, 1);
    EXPECT_EQ(selected_columns_bytes(columns->block), 0u);
    return way::columns;
  }
  return rows_work_of(*plan, what, at, output) ? way::segments : way::none;
}

TEST(SelectedRowsPlan, ManyRowsOfWholeVectorsGoByWarps) {
  EXPECT_EQ(way_of(100000, 1024), way::columns);
  EXPECT_EQ(way_of(100000, 1024, dtype::f32, op::argmin), way::columns);
  EXPECT_EQ(way_of(204800, 16), way::columns);
  EXPECT_EQ(way_of(400000, 8, dtype::f64, op::count_nonzero), way::columns);
}

TEST(SelectedRowsPlan, OthersAreSegments) {
  EXPECT_EQ(way_of(100000, 1023), way::segments) << "not whole vectors";
  EXPECT_EQ(way_of(400000, 12), way::segments) << "three vectors";
  EXPECT_EQ(way_of(100000, 1024, dtype::f32, op::max, memory + 4), way::segments) << "unaligned";
  EXPECT_EQ(way_of(204799, 16), way::segments) << "too few for two waves of lanes";
  EXPECT_EQ(way_of(6399, 1024), way::segments) << "too few for two waves of warps";
  EXPECT_EQ(way_of(6400, 1024), way::columns);
  EXPECT_EQ(way_of(100000, 1024, dtype::f32, op::sum), way::none);
}

// Rows of n elements by their fast sum.
bool are_segments(std::int64_t n, dtype type, op what = op::sum,
                  nan_policy nan = nan_policy::propagate) {
  const std::vector<std::int64_t> shape = {1000, n};
  const array_view x(memory, type, row_major(shape, std::int64_t(size_bytes(type))));
  options how;
  how.axes = {1}, how.accuracy = accuracy::fast, how.nan_policy = nan;
  const auto plan = make_plan(executor::cpu{}, what, x, how);
  EXPECT_TRUE(plan.ok());
  return rows_work_of(*plan, what, memory, default_output(what, type)).has_value();
}

TEST(FastRowsPlan, ThoseOf16BitsOfOneChunkAreSegments) {
  EXPECT_TRUE(are_segments(32, dtype::f16));
  EXPECT_TRUE(are_segments(65536, dtype::bf16, op::norm2));
  EXPECT_FALSE(are_segments(65537, dtype::f16));
  EXPECT_FALSE(are_segments(32, dtype::f32)) << "there are kernels of rows";
  EXPECT_FALSE(are_segments(32, dtype::i16)) << "fast sums of integers have no order";
  EXPECT_FALSE(are_segments(32, dtype::f16, op::var));
  EXPECT_FALSE(are_segments(32, dtype::f16, op::sum, nan_policy::omit));
}

}  // namespace
}  // namespace onefold::cuda::test
