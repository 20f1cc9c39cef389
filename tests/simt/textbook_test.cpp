// SPDX-License-Identifier: Apache-2.0
#include "tests/simt/textbook.hpp"

#include "simt/device.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace onefold::simt::test {
namespace {

constexpr unsigned items = matrix_side * matrix_side;
constexpr unsigned requests = items / max_warp_lanes;

constexpr launch_config tiles{.grid = {matrix_side / tile_side, matrix_side / tile_side},
                              .block = {tile_side, tile_rows}};

counts transpose(const test_kernel& kernel, launch_config config = tiles) {
  device gpu;
  std::vector<int> values(items);
  std::iota(values.begin(), values.end(), 0);
  const int* in = gpu.memory().copy(std::span<const int>(values), "in");
  int* out = gpu.memory().allocate<int>(items, "out");
  kernel.launch(gpu, config, {in, items, out});
  for (const finding& f : gpu.report()) ADD_FAILURE() << f.text();
  for (unsigned i = 0; i < items; ++i) {
    const unsigned mirrored = i % matrix_side * matrix_side + i / matrix_side;
    EXPECT_EQ(out[mirrored], values[i]);
  }
  return gpu.counts();
}

TEST(transpose, the_naive_one_stores_a_sector_for_every_lane) {
  const counts c = transpose(transpose_kernels[0]);
  EXPECT_EQ(c.global_load, (global_counts{requests, 4 * requests, requests}));
  EXPECT_EQ(c.global_store, (global_counts{requests, 32 * requests, 32 * requests}));
  EXPECT_EQ(c.barriers, 0u);
}

TEST(transpose, a_square_tile_conflicts_32_ways) {
  const counts c = transpose(transpose_kernels[1]);
  EXPECT_EQ(c.shared_load, (shared_counts{requests, 32 * requests, 31 * requests, 32}));
  EXPECT_EQ(c.shared_store, (shared_counts{requests, requests, 0, 1}));
  EXPECT_EQ(c.global_store, (global_counts{requests, 4 * requests, requests}));
  EXPECT_EQ(c.barriers, items / tile_side / tile_side * tile_rows);
}

TEST(transpose, one_word_of_padding_frees_it_of_conflicts) {
  const counts c = transpose(transpose_kernels[2]);
  EXPECT_EQ(c.shared_load, (shared_counts{requests, requests, 0, 1}));
  EXPECT_EQ(c.divergent_branches, 0u);
}

TEST(transpose, counts_do_not_depend_on_the_schedule) {
  for (const test_kernel* kernel = transpose_kernels; kernel != transpose_kernels + 3; ++kernel) {
    const counts forward = transpose(*kernel);
    for (const schedule order : {schedule::reverse, schedule::shuffled, schedule::lockstep}) {
      launch_config config = tiles;
      config.order = order;
      EXPECT_EQ(transpose(*kernel, config), forward) << kernel->name;
    }
  }
}

TEST(launch, a_shape_that_a_device_refuses_is_refused) {
  device gpu;
  const auto refused = [&gpu](launch_config config) {
    EXPECT_THROW(transpose_kernels[0].launch(gpu, config, {}), std::invalid_argument);
  };
  refused({.grid = {1}, .block = {1025}});
  refused({.grid = {1}, .block = {0}});
  refused({.grid = {0}, .block = {32}});
  refused({.grid = {1}, .block = {32}, .dynamic_shared_bytes = 1u << 20});
  refused({.grid = {1}, .block = {32}, .warp_lanes = 12});
}

TEST(memory, a_buffer_that_does_not_fit_is_refused) {
  device gpu;
  EXPECT_THROW(gpu.memory().allocate<char>(arena::capacity_bytes, "huge"), std::length_error);
}

}  // namespace
}  // namespace onefold::simt::test
