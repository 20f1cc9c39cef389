// SPDX-License-Identifier: Apache-2.0
// Which plans go to the kernels of rows and columns, and as what.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "cuda/kernels/batched/ambiguous_answers.hpp"
#include "cuda/kernels/batched/columns/columns_shape.hpp"
#include "cuda/kernels/batched/rows/rows_shape.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "cuda/primitives/grids.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

using extents = std::vector<std::int64_t>;

// The layout of a request that these kernels get.
std::optional<layout> work_of(const array_view& x, std::initializer_list<int> over,
                              op operation = op::sum, options how = {}) {
  how.axes = over;
  const auto plan = make_plan(executor::cpu{}, operation, x, how);
  EXPECT_TRUE(plan.ok());
  const layout found = layout_of(*plan, x.data(), x.type(), nullptr, x.type());
  const request request = {*plan, how, x.data(), nullptr, 0, 0, nullptr, x.type()};
  const auto family = answer_kernel({request, found, operation, x.type(), 132});
  return family == kernel_family::batched ? std::optional(found) : std::nullopt;
}

// A whole number of times as many blocks as run at once, or all that have a step for each warp.
TEST(cuda_grid_of_steps, is_a_whole_number_of_turns) {
  EXPECT_EQ(grid_of_steps(0, 132, 6, 4), 1u);
  EXPECT_EQ(grid_of_steps(791, 132, 6, 4), 791u);
  EXPECT_EQ(grid_of_steps(793, 132, 6, 1), 792u) << "one step each but for one block";
  EXPECT_EQ(grid_of_steps(65536, 132, 6, all_steps), 792u);
  EXPECT_EQ(grid_of_steps(65536, 132, 6, 4), 21u * 792) << "20.7 turns";
  EXPECT_EQ(grid_of_steps(16384, 132, 6, 12), 2u * 792) << "1.72 turns";
  EXPECT_EQ(grid_of_steps(std::int64_t(1) << 50, 1, 1, 1), 0x7FFFFFFFu) << "the longest grid";
  EXPECT_EQ(grid_of_steps(5, 0, 6, 4), 1u) << "no device";
  for (std::int64_t blocks = 1; blocks < 100000; blocks = blocks * 9 / 8 + 1)
    for (const int steps : {light_steps, usual_steps, heavy_steps}) {
      const unsigned grid = grid_of_steps(blocks, 132, 6, steps);
      EXPECT_TRUE(grid == blocks || grid % 792 == 0) << blocks;
      EXPECT_LE(grid, blocks);
      EXPECT_GE(blocks, std::int64_t(steps) * (grid > 792 ? grid - 792 : 0)) << blocks;
    }
}

array_view contiguous(const extents& shape, dtype type = dtype::f32) {
  alignas(16) static const unsigned char memory[64] = {};
  return {memory, type, row_major(shape, std::int64_t(size_bytes(type)))};
}

void expect_block(const std::optional<layout>& work, std::int64_t outer, std::int64_t n,
                  std::int64_t inner) {
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->outer, outer);
  EXPECT_EQ(work->n, n);
  EXPECT_EQ(work->inner, inner);
}

TEST(cuda_batched_plan, rows_and_columns_are_found) {
  expect_block(work_of(contiguous({5, 7}), {1}), 5, 7, 1);
  expect_block(work_of(contiguous({5, 7}), {0}), 1, 5, 7);
  expect_block(work_of(contiguous({5, 7, 3}), {1}), 5, 7, 3);
  expect_block(work_of(contiguous({2, 5, 7, 3}), {2, 3}), 10, 21, 1);
  expect_block(work_of(contiguous({2, 5, 7, 3}), {1, 2}), 2, 35, 3);
  expect_block(work_of(contiguous({2, 5, 7, 3}), {0}), 1, 2, 105);
  expect_block(work_of(contiguous({5, 1, 3}), {1}), 15, 1, 1);
}

TEST(cuda_batched_plan, rows_across_blocks_are_found) {
  const auto work = work_of(contiguous({3, 5, 7}), {0, 2});
  expect_block(work, 5, 7, 1);
  EXPECT_EQ(work->across, 3);
  EXPECT_EQ(work_of(contiguous({2, 3, 5, 7, 2}), {0, 1, 3, 4})->across, 6);
  expect_block(work_of(contiguous({3, 5, 7, 2}), {0, 2}), 5, 3 * 7, 2);
  EXPECT_TRUE(work_of(contiguous({2, 8, 16384}), {0, 2}));
  EXPECT_FALSE(work_of(contiguous({2, 8, 1 << 20}), {0, 2})) << "16 warps";
}

TEST(cuda_batched_plan, an_array_that_is_turned_round_is_columns) {
  const array_view turned(contiguous({5, 7}).data(), dtype::f32, {{7, 4}, {5, 28}});
  expect_block(work_of(turned, {0}), 5, 7, 1);
  expect_block(work_of(turned, {1}), 1, 5, 7);
}

batched_block columns_at(std::uintptr_t x, std::int64_t outer, std::int64_t n, std::int64_t inner) {
  batched_block made = {reinterpret_cast<const void*>(x), outer, n, inner};
  made.places = contiguous_places(outer, n, inner);
  return made;
}

TEST(cuda_batched_plan, parts_have_room) {
  const batched_block block = columns_at(256, 3, 4096, 2);
  const columns_shape merged = shape_of_columns(block, 4);
  EXPECT_EQ(merged.merged, 2);
  EXPECT_EQ(merged.parts % 2, 0) << "two of each band";
  const auto ambiguous = std::size_t(ambiguous_words(3 * 2, fallback_blocks(132)));
  EXPECT_EQ(batched_workspace_bytes({}, block),
            (3U * 2 * std::size_t(merged.parts) * 3 + ambiguous) * 8);
}

// 528 blocks run at once. More tasks than that begin and end more often, a few more leave most of
// the device idle at the end.
TEST(cuda_batched_plan, shapes_of_columns_keep_a_device_busy) {
  const auto tasks = [](std::int64_t n, std::int64_t inner) {
    return shape_of_columns(columns_at(0, 1, n, inner), 4).tasks;
  };
  for (const std::int64_t inner : {8, 32, 128, 1024, 4096, 16384}) {
    EXPECT_LE(tasks((std::int64_t(1) << 28) / inner, inner), 528) << inner;
    EXPECT_GE(tasks((std::int64_t(1) << 28) / inner, inner), 500) << inner;
  }
  EXPECT_EQ(tasks(256, 1 << 20), 2048) << "no second kernel where there are columns enough";
  for (std::int64_t inner = 1000; inner < 4000000; inner += inner / 7) {
    const columns_shape shape = shape_of_columns(columns_at(0, 1, 1000, inner), 4);
    EXPECT_LE(shape.across * shape.down, columns_threads) << inner;
    const std::int64_t tiles = ceil_quotient(ceil_quotient(inner, 4), shape.across);
    EXPECT_EQ(shape.tasks, tiles * ceil_quotient(1000, shape.part)) << inner;
  }
  for (const std::int64_t n : {0, 1, 4})
    EXPECT_EQ(shape_of_columns(columns_at(0, 1, n, 1000), 4).parts, 1) << n;
}

TEST(cuda_batched_plan, rows_of_columns_are_read_as_one_until_they_are_whole_vectors) {
  const auto at = [](std::int64_t outer, std::int64_t n, std::int64_t inner, std::int64_t width,
                     std::uintptr_t address = 256) {
    return merged_rows(columns_at(address, outer, n, inner), width);
  };
  EXPECT_EQ(at(1, 1 << 20, 4, 4), 1);
  EXPECT_EQ(at(1, 1 << 20, 2, 4), 2);
  EXPECT_EQ(at(1, 1 << 20, 1001, 4), 4);
  EXPECT_EQ(at(1, 1 << 20, 8, 1), 2);
  EXPECT_EQ(at(1, 1 << 20, 7, 1), 16);
  EXPECT_EQ(at(1, 2047, 2, 4), 1) << "not worth the parts";
  EXPECT_EQ(at(1, 1 << 20, 2, 4, 264), 1) << "does not begin with a vector";
  EXPECT_EQ(at(3, 4097, 2, 4), 1) << "the second does not";
  EXPECT_EQ(at(3, 4098, 2, 4), 2);
}

TEST(cuda_batched_plan, others_are_left_alone) {
  const void* const x = contiguous({1}).data();
  EXPECT_FALSE(work_of(contiguous({5, 7}), {0, 1})) << "one answer";
  EXPECT_FALSE(work_of({x, dtype::f32, {{5, 32}, {7, 4}}}, {1})) << "rows apart";
  EXPECT_FALSE(work_of({x, dtype::f32, {{5, 56}, {7, 8}}}, {1})) << "elements apart";
  const void* const odd = static_cast<const char*>(x) + 1;
  EXPECT_FALSE(work_of({odd, dtype::f32, {{5, 28}, {7, 4}}}, {1})) << "not aligned";
  EXPECT_FALSE(work_of({x, dtype::f32, {{5, 0}, {7, 4}}}, {1})) << "one row again and again";
  EXPECT_FALSE(work_of({x, dtype::f32, {{5, 4}, {7, 60}, {3, 20}}}, {1}))
      << "answers in another order";
  EXPECT_FALSE(work_of(contiguous({5, 7}), {1}, op::max)) << "another operator";
  options how;
  how.nan_policy = nan_policy::omit;
  EXPECT_FALSE(work_of(contiguous({5, 7}), {1}, op::sum, how)) << "NaNs left out";
}

TEST(cuda_batched_plan, types_are_those_that_cannot_overflow) {
  const auto serves = [](op op, dtype in, dtype out) {
    return has_kernel(kernel_family::batched, {op, accuracy::exact, in, out});
  };
  EXPECT_TRUE(serves(op::sum, dtype::i32, dtype::i64));
  EXPECT_FALSE(serves(op::sum, dtype::i32, dtype::u64));
  EXPECT_FALSE(serves(op::sum, dtype::i64, dtype::i64));
  const auto fast_serves = [](op op, dtype in, dtype out) {
    return has_kernel(kernel_family::batched, {op, accuracy::fast, in, out});
  };
  EXPECT_TRUE(fast_serves(op::sum, dtype::i64, dtype::i64)) << "it wraps";
  EXPECT_FALSE(fast_serves(op::mean, dtype::i64, dtype::f64));
  EXPECT_FALSE(serves(op::mean, dtype::i32, dtype::i64));
  EXPECT_TRUE(serves(op::mean, dtype::u64, dtype::f64));
  EXPECT_TRUE(serves(op::norm2, dtype::f32, dtype::bf16));
  EXPECT_TRUE(serves(op::norm2, dtype::f64, dtype::f64));
  EXPECT_FALSE(serves(op::norm2, dtype::f64, dtype::f32));
  EXPECT_FALSE(serves(op::sum, dtype::f32, dtype::f64));
  EXPECT_FALSE(serves(op::sum, dtype::f64, dtype::f32));
}

}  // namespace
}  // namespace onefold::cuda::test
