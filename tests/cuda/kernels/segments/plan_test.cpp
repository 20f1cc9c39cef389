// SPDX-License-Identifier: Apache-2.0
// Which kernel has the rows of extrema, counts and positions.
#include <gtest/gtest.h>

#include "cuda/plan/kernel_table.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

using family = std::optional<kernel_family>;

constexpr family tiles = kernel_family::row_folds, segments = kernel_family::segment_rows;

alignas(16) const unsigned char memory[64] = {};

// Rows of n elements from `at` on, on a device of 100 multiprocessors.
family kernel_of(std::int64_t rows, std::int64_t n, dtype type = dtype::f32, op operation = op::max,
                 const void* at = memory, options how = {}) {
  const std::vector<std::int64_t> shape = {rows, n};
  const array_view x(at, type, row_major(shape, std::int64_t(size_bytes(type))));
  how.axes = {1};
  const auto plan = make_plan(executor::cpu{}, operation, x, how);
  EXPECT_TRUE(plan.ok());
  const layout found = layout_of(*plan, at, type, nullptr, type);
  const request request = {*plan, how, at, nullptr, 0, 0, nullptr, type};
  return answer_kernel({request, found, operation, default_output(operation, type), 100});
}

TEST(cuda_selected_rows_plan, uses_tiles_for_short_rows_and_for_many) {
  EXPECT_EQ(kernel_of(100000, 1024), tiles);
  EXPECT_EQ(kernel_of(100000, 1023, dtype::bf16, op::argmin), tiles);
  EXPECT_EQ(kernel_of(100, 12, dtype::f64, op::count_nonzero, memory + 8), tiles);
  EXPECT_EQ(kernel_of(2, 16384), tiles);
  EXPECT_EQ(kernel_of(1024, 16384 + 4), tiles);
  EXPECT_EQ(kernel_of(1024, 16385), tiles) << "of no whole vectors";
  EXPECT_EQ(kernel_of(5, 8001, dtype::u8, op::bit_xor), tiles);
}

TEST(cuda_selected_rows_plan, uses_segments_for_other_rows) {
  EXPECT_EQ(kernel_of(1023, 16385), segments) << "a warp a row would leave some idle";
  EXPECT_EQ(kernel_of(2, 65537, dtype::u8, op::bit_and), segments);
  EXPECT_EQ(kernel_of(100000, 1024, dtype::f32, op::sum), kernel_family::batched);
  options omit;
  omit.nan_policy = nan_policy::omit;
  EXPECT_EQ(kernel_of(1000, 32, dtype::f32, op::norminf, memory, omit), segments);
  EXPECT_EQ(kernel_of(1000, 32, dtype::f32, op::count, memory, omit), tiles);
}

}  // namespace
}  // namespace onefold::cuda::test
