// SPDX-License-Identifier: Apache-2.0
// The grid of a whole array: no block without a tile, and no second wave.
#include <gtest/gtest.h>

#include <string>

#include "cuda/kernels/whole/whole.hpp"
#include "cuda/plan/kernel_table.hpp"

namespace onefold::cuda::test {
namespace {

constexpr accumulator families[] = {
    accumulator::total,   accumulator::magnitudes, accumulator::squares, accumulator::products,
    accumulator::moments, accumulator::extrema,    accumulator::counts,  accumulator::bits};
constexpr unsigned multiprocessors = 132;

template <class Function>
void for_each_kernel(const Function& check) {
  for (const accumulator kind : families)
    for (const dtype input : all_dtypes) {
      SCOPED_TRACE("family " + std::to_string(int(kind)) + " of " + std::string(name(input)));
      if (has_kernel(kernel_family::full, kind, accuracy::exact, input)) check(kind, input);
    }
}

// Of a tile a warp, each lane reads 64 bytes.
std::int64_t items_of_block(grid_shape grid, dtype input) {
  return std::int64_t(grid.threads) * 64 / std::int64_t(size_bytes(input));
}

TEST(suited_grid, few_elements_get_one_block) {
  for_each_kernel([](accumulator kind, dtype input) {
    for (const std::int64_t n : {0, 1, 2})
      EXPECT_EQ(suited_grid(kind, input, n, multiprocessors).blocks, 1U);
  });
}

whole_request sum_of(dtype input, std::int64_t n) {
  whole_request request = {accumulator::total, input, nullptr, nullptr, n};
  request.finish.size = 1;
  request.finish.answers[0] = {nullptr, op::sum, input};
  return request;
}

// A vector a thread up to 64 KiB, four up to 256 KiB.
TEST(suited_grid, small_sums_of_floats_have_a_block_or_a_cluster) {
  for (const dtype input : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    const auto item = std::int64_t(size_bytes(input));
    const auto grid_of = [&](std::int64_t bytes, unsigned clusters, std::int64_t more = 0) {
      return suited_grid(sum_of(input, bytes / item + more), multiprocessors, clusters);
    };
    const auto expect = [&](grid_shape grid, unsigned blocks, unsigned threads) {
      EXPECT_TRUE(grid.window);
      EXPECT_EQ(grid.blocks, blocks);
      EXPECT_EQ(grid.threads, threads);
    };
    expect(grid_of(0, 16, 1), 1, 32), expect(grid_of(512, 16), 1, 32),
        expect(grid_of(512, 16, 1), 1, 64);
    expect(grid_of(4096, 1), 1, 256), expect(grid_of(4096, 16, 1), 4, 128),
        expect(grid_of(4096, 1, 1), 1, 256);
    expect(grid_of(16 << 10, 16), 8, 128), expect(grid_of(16 << 10, 1), 1, 256);
    expect(grid_of(32 << 10, 16), 16, 128), expect(grid_of(32 << 10, 8), 8, 256);
    expect(grid_of(64 << 10, 16), 16, 256), expect(grid_of(256 << 10, 16), 16, 256);
    expect(grid_of(128 << 10, 8), 8, 256);
    EXPECT_FALSE(grid_of(16 << 10, 1, 1).window);
    EXPECT_FALSE(grid_of(128 << 10, 8, 1).window);
    EXPECT_FALSE(grid_of(256 << 10, 16, 1).window);
    EXPECT_FALSE(needs_memory(sum_of(input, 1000), grid_of(8000, 16)));
  }
}

TEST(suited_grid, other_answers_have_no_window) {
  const auto has_window = [](whole_request request) {
    return suits_window(request) || suited_grid(request, multiprocessors, 16).window;
  };
  EXPECT_TRUE(has_window(sum_of(dtype::f32, 100)));
  EXPECT_FALSE(has_window(sum_of(dtype::f32, 0)));
  EXPECT_FALSE(has_window(sum_of(dtype::i32, 100)));
  whole_request other = sum_of(dtype::f32, 100);
  other.finish.answers[0].type = dtype::f64;
  EXPECT_FALSE(has_window(other));
  other = sum_of(dtype::f32, 100), other.finish.size = 0;
  EXPECT_FALSE(has_window(other));
  other = sum_of(dtype::f32, 100), other.accumulator = accumulator::magnitudes;
  EXPECT_FALSE(has_window(other));
  const std::int64_t count = 5;
  other = sum_of(dtype::f32, 100), other.finish.count = &count;
  EXPECT_FALSE(has_window(other));
}

TEST(suited_grid, another_block_comes_with_the_element_behind_a_full_one) {
  for_each_kernel([](accumulator kind, dtype input) {
    const std::int64_t some = (20 << 10) / std::int64_t(size_bytes(input));
    const std::int64_t full =
        items_of_block(suited_grid(kind, input, some, multiprocessors), input);
    EXPECT_EQ(suited_grid(kind, input, 5 * full, multiprocessors).blocks, 5U);
    EXPECT_EQ(suited_grid(kind, input, 5 * full + 1, multiprocessors).blocks, 6U);
  });
}

TEST(suited_grid, a_large_array_fills_every_multiprocessor_alike) {
  for_each_kernel([](accumulator kind, dtype input) {
    const unsigned one = suited_grid(kind, input, std::int64_t(1) << 40, 1).blocks;
    EXPECT_GE(one, 1U);
    EXPECT_LE(one * suited_grid(kind, input, 0, 1).threads, 2048U)
        << "of a multiprocessor's threads";
    EXPECT_EQ(suited_grid(kind, input, std::int64_t(1) << 40, multiprocessors).blocks,
              one * multiprocessors);
  });
}

}  // namespace
}  // namespace onefold::cuda::test
