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
    if (kind == accumulator::total && is_floating(input)) {  // a window's
      EXPECT_EQ(
          suited_grid(kind, input, (16 << 10) / std::int64_t(size_bytes(input)), multiprocessors)
              .blocks,
          1U);
    }
  });
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
