// SPDX-License-Identifier: Apache-2.0
// Which plans go to the kernels of rows and columns, and as what.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "cuda/kernel_table.hpp"
#include "cuda/many/ambiguous.hpp"
#include "cuda/many/fast/shape.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

using extents = std::vector<std::int64_t>;

// The layout of a request that these kernels get.
std::optional<layout> work_of(const array_view& x, std::initializer_list<int> over,
                              op what = op::sum, options how = {}) {
  how.axes = over;
  const auto plan = make_plan(executor::cpu{}, what, x, how);
  EXPECT_TRUE(plan.ok());
  const layout found = layout_of(*plan, x.data(), x.type(), nullptr, x.type());
  const request of = {*plan, how, x.data(), nullptr, 0, 0, nullptr, x.type()};
  const auto family = answer_kernel({of, found, what, x.type(), 132});
  return family == kernel_family::batched ? std::optional(found) : std::nullopt;
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

TEST(cuda_many_plan, rows_and_columns_are_found) {
  expect_block(work_of(contiguous({5, 7}), {1}), 5, 7, 1);
  expect_block(work_of(contiguous({5, 7}), {0}), 1, 5, 7);
  expect_block(work_of(contiguous({5, 7, 3}), {1}), 5, 7, 3);
  expect_block(work_of(contiguous({2, 5, 7, 3}), {2, 3}), 10, 21, 1);
  expect_block(work_of(contiguous({2, 5, 7, 3}), {1, 2}), 2, 35, 3);
  expect_block(work_of(contiguous({2, 5, 7, 3}), {0}), 1, 2, 105);
  expect_block(work_of(contiguous({5, 1, 3}), {1}), 15, 1, 1);
}

TEST(cuda_many_plan, rows_across_blocks_are_found) {
  const auto work = work_of(contiguous({3, 5, 7}), {0, 2});
  expect_block(work, 5, 7, 1);
  EXPECT_EQ(work->across, 3);
  EXPECT_EQ(work_of(contiguous({2, 3, 5, 7, 2}), {0, 1, 3, 4})->across, 6);
  EXPECT_FALSE(work_of(contiguous({3, 5, 7, 2}), {0, 2})) << "kept in the middle and at the end";
  options fast;
  fast.accuracy = accuracy::fast;
  EXPECT_FALSE(work_of(contiguous({3, 5, 7}), {0, 2}, op::sum, fast)) << "in one order";
  EXPECT_TRUE(work_of(contiguous({2, 8, 16384}), {0, 2}));
  EXPECT_FALSE(work_of(contiguous({2, 8, 1 << 20}), {0, 2})) << "16 warps";
}

TEST(cuda_many_plan, an_array_that_is_turned_round_is_columns) {
  const array_view turned(contiguous({5, 7}).data(), dtype::f32, {{7, 4}, {5, 28}});
  expect_block(work_of(turned, {0}), 5, 7, 1);
  expect_block(work_of(turned, {1}), 1, 5, 7);
}

TEST(cuda_many_plan, fast_sums_are_rows_and_columns) {
  options fast;
  fast.accuracy = accuracy::fast;
  for (const op what : {op::sum, op::mean, op::norm1, op::norm2, op::sumsq})
    for (const dtype type : {dtype::f32, dtype::f64}) {
      expect_block(work_of(contiguous({5, 7}, type), {1}, what, fast), 5, 7, 1);
      expect_block(work_of(contiguous({5, 7}, type), {0}, what, fast), 1, 5, 7);
    }
  EXPECT_FALSE(work_of(contiguous({5, 7}, dtype::f16), {1}, op::sum, fast));
  EXPECT_FALSE(work_of(contiguous({5, 7}), {1}, op::stddev, fast));
  fast.nan_policy = nan_policy::omit;
  EXPECT_FALSE(work_of(contiguous({5, 7}), {1}, op::sum, fast));
}

// Chunks are fixed, and lanes are shared out by what a row holds.
TEST(cuda_many_plan, shapes_of_fast_rows) {
  const auto at = [](std::int64_t n, std::int64_t width, std::uintptr_t address = 256) {
    return shape_of_fast_rows({reinterpret_cast<const void*>(address), 9, n, 1, nullptr}, width);
  };
  EXPECT_EQ(at(4, 4).group, 1U);
  EXPECT_GT(at(4, 4).rows, 0) << "by way of shared memory";
  EXPECT_GT(at(4, 4, 260).rows, 0) << "short, wherever it begins";
  EXPECT_GT(at(32, 4).rows, 0);
  EXPECT_EQ(at(64, 4).vectors, -2) << "a tree by registers";
  EXPECT_EQ(at(64, 4).group, 8U);
  EXPECT_EQ(at(64, 8).vectors, -4);
  EXPECT_EQ(at(128, 8).vectors, -8);
  EXPECT_EQ(at(132, 4).group, 16U);
  EXPECT_GT(at(132, 4).rows, 0) << "more than a tree";
  EXPECT_EQ(at(512, 4).group, 16U);
  EXPECT_EQ(at(512, 4).rows, 1) << "a stage has 2 KiB";
  EXPECT_EQ(at(516, 4).rows, 0) << "by registers";
  EXPECT_EQ(at(516, 4).vectors, 0) << "more than eight of a lane";
  EXPECT_EQ(at(65, 4).rows, 16) << "not whole vectors: by tiles of 5 KiB";
  EXPECT_EQ(at(65, 4).group, 8U);
  EXPECT_EQ(at(65, 4).tile, 65);
  EXPECT_EQ(at(97, 4).rows, 8) << "of 13 that have room: eight begin with a sector";
  EXPECT_EQ(at(255, 4).rows, 4);
  EXPECT_EQ(at(511, 4).rows, 2) << "of half a warp each";
  EXPECT_EQ(at(511, 4).group, 16U);
  EXPECT_EQ(at(1275, 4).rows, 1);
  EXPECT_EQ(at(1401, 4).tile, 0) << "no stage has room for it: nearly three tiles by registers";
  EXPECT_LT(at(1537, 4).tile, 1277) << "little more than three tiles by registers";
  EXPECT_EQ(at(1537, 4).tile % 64, 0) << "whole rounds of virtual lanes";
  EXPECT_EQ(at(1707, 4).tile, 0);
  EXPECT_GT(at(639, 8).tile, 0);
  EXPECT_EQ(at(1023, 8).tile, 0);
  EXPECT_EQ(at(2049, 4).tile, 0) << "by registers";
  EXPECT_EQ(at(65536, 4).parts, 1);
  EXPECT_EQ(at(65537, 4).parts, 2);
}

TEST(cuda_many_plan, shapes_of_narrow_columns_by_blocks) {
  const auto at = [](std::int64_t outer, std::int64_t n, std::int64_t inner,
                     std::int64_t width = 4) {
    return shape_of_banded({nullptr, outer, n, inner, nullptr}, width);
  };
  EXPECT_EQ(at(1, 5000, 2).groups, 64) << "a band a stage, a column of a group a lane";
  EXPECT_EQ(at(1, 5000, 3).groups, 32) << "of 42 that have room: two stages alike";
  EXPECT_EQ(at(1, 5000, 64).groups, 2);
  EXPECT_EQ(at(1, 5000, 65).groups, 0);
  EXPECT_EQ(at(1, 5000, 28).groups, 0) << "by warps, which are faster";
  EXPECT_EQ(at(1, 5000, 13, 8).groups, 0);
  EXPECT_EQ(at(1, 5000, 56).groups, 0);
  EXPECT_EQ(at(1, 5000, 25).groups, 5);
  EXPECT_EQ(at(9999, 256, 2).units, 4) << "as many bands as a stage has room for";
  EXPECT_EQ(at(9999, 256, 2).groups, 64);
  EXPECT_EQ(at(2000, 256, 2).units, 2) << "a band or two for every block";
  EXPECT_EQ(at(9999, 256, 4, 8).units, 1);
  EXPECT_EQ(at(9999, 256, 4, 8).groups, 16);
  EXPECT_EQ(at(9999, 296, 2).groups, 0) << "not whole groups, a third of a stage";
  EXPECT_EQ(at(9999, 1024, 2).groups, 0);
  EXPECT_EQ(at(9999, 1024, 2, 8).groups, 32);
}

// A lane has a vector and a band of 1024 rows.
TEST(cuda_many_plan, shapes_of_fast_columns) {
  const auto at = [](std::int64_t n, std::int64_t inner) {
    return shape_of_fast_columns({nullptr, 1, n, inner, nullptr}, 4).by;
  };
  const auto narrow = [](std::int64_t outer, std::int64_t n, std::int64_t inner,
                         std::uintptr_t address = 256) {
    return shape_of_narrow({reinterpret_cast<const void*>(address), outer, n, inner, nullptr}, 4);
  };
  EXPECT_EQ(narrow(1, 256, 2).groups, 16) << "of 128 bytes";
  EXPECT_EQ(narrow(1, 256, 32).groups, 1);
  EXPECT_EQ(narrow(1, 256, 33).rows, 8) << "a stage has room for half a group";
  EXPECT_EQ(narrow(1, 256, 65).groups, 0);
  EXPECT_EQ(narrow(1, 255, 2).groups, 0) << "not worth the stages";
  EXPECT_EQ(narrow(1, 256, 2, 264).groups, 0);
  EXPECT_EQ(narrow(3, 257, 2).groups, 0) << "the second does not begin with a vector";
  EXPECT_EQ(narrow(3, 258, 2).groups, 16);
  EXPECT_EQ(at(1024, 8).parts, 1);
  EXPECT_EQ(at(1025, 8).parts, 2);
  EXPECT_EQ(at(1025, 8).tasks, 2) << "a block a band";
  EXPECT_EQ(at(100, 8).tasks, 1) << "two lanes of a warp";
  EXPECT_EQ(at(std::int64_t(1) << 27, 2).parts, std::int64_t(1) << 17);
  EXPECT_EQ(narrow_blocks(8192, 132), 528U) << "3.9 rounds of all warps";
  EXPECT_EQ(narrow_blocks(10923, 132), 396U) << "6.9 rounds of three quarters, 5.2 of all";
  EXPECT_EQ(narrow_blocks(5, 132), 2U);
  EXPECT_EQ(narrow_blocks(8192, 132, 1), 528U) << "by blocks: 15.5 rounds of all";
  EXPECT_EQ(narrow_blocks(1170, 132, 1), 396U) << "3.0 rounds of three quarters, 2.2 of all";
  EXPECT_EQ(shape_of_fast_parts(16).lanes, 1U);
  EXPECT_EQ(shape_of_fast_parts(4096).lanes, 256U) << "a block an answer";
  EXPECT_EQ(shape_of_fast_parts(4097).chunks, 9) << "of 512";
  EXPECT_EQ(shape_of_fast_parts(1 << 21).chunks, 4096) << "2^31 rows: no third launch";
}

TEST(cuda_many_plan, parts_have_room) {
  const void* const x = reinterpret_cast<const void*>(256);
  const auto bytes = [&](accuracy how, std::int64_t n, std::int64_t inner) {
    return many_workspace_bytes({op::sum, how, dtype::f32, dtype::f32}, {x, 3, n, inner, nullptr});
  };
  EXPECT_EQ(bytes(accuracy::fast, 1024, 8), 0U) << "one band";
  EXPECT_EQ(bytes(accuracy::fast, 1025, 8), 3U * 8 * 2 * 8);
  const columns_shape merged = shape_of_columns({x, 3, 4096, 2, nullptr}, 4);
  EXPECT_EQ(merged.merged, 2);
  EXPECT_EQ(merged.parts % 2, 0) << "two of each band";
  const auto ambiguous = std::size_t(ambiguous_words(3 * 2, fallback_blocks(132)));
  EXPECT_EQ(bytes(accuracy::exact, 4096, 2),
            (3U * 2 * std::size_t(merged.parts) * 3 + ambiguous) * 8);
}

// 528 blocks run at once. More tasks than that begin and end more often, a few more leave most of
// the device idle at the end.
TEST(cuda_many_plan, shapes_of_columns_keep_a_device_busy) {
  const auto tasks = [](std::int64_t n, std::int64_t inner) {
    return shape_of_columns({nullptr, 1, n, inner, nullptr}, 4).tasks;
  };
  for (const std::int64_t inner : {8, 32, 128, 1024, 4096, 16384}) {
    EXPECT_LE(tasks((std::int64_t(1) << 28) / inner, inner), 528) << inner;
    EXPECT_GE(tasks((std::int64_t(1) << 28) / inner, inner), 500) << inner;
  }
  EXPECT_EQ(tasks(256, 1 << 20), 2048) << "no second kernel where there are columns enough";
  for (std::int64_t inner = 1000; inner < 4000000; inner += inner / 7) {
    const columns_shape of = shape_of_columns({nullptr, 1, 1000, inner, nullptr}, 4);
    EXPECT_LE(of.across * of.down, columns_threads) << inner;
    const std::int64_t tiles = ceil_quotient(ceil_quotient(inner, 4), of.across);
    EXPECT_EQ(of.tasks, tiles * ceil_quotient(1000, of.part)) << inner;
  }
  for (const std::int64_t n : {0, 1, 4})
    EXPECT_EQ(shape_of_columns({nullptr, 1, n, 1000, nullptr}, 4).parts, 1) << n;
}

TEST(cuda_many_plan, rows_of_columns_are_read_as_one_until_they_are_whole_vectors) {
  const auto at = [](std::int64_t outer, std::int64_t n, std::int64_t inner, std::int64_t width,
                     std::uintptr_t address = 256) {
    return merged_rows({reinterpret_cast<const void*>(address), outer, n, inner, nullptr}, width);
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

TEST(cuda_many_plan, others_are_left_alone) {
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

TEST(cuda_many_plan, types_are_those_that_cannot_overflow) {
  const auto serves = [](op what, dtype in, dtype out) {
    return has_kernel(kernel_family::batched, {what, accuracy::exact, in, out});
  };
  EXPECT_TRUE(serves(op::sum, dtype::i32, dtype::i64));
  EXPECT_FALSE(serves(op::sum, dtype::i32, dtype::u64));
  EXPECT_FALSE(serves(op::sum, dtype::i64, dtype::i64));
  const auto fast_serves = [](op what, dtype in, dtype out) {
    return has_kernel(kernel_family::batched, {what, accuracy::fast, in, out});
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
