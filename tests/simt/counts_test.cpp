// SPDX-License-Identifier: Apache-2.0
// Counts of warp operations, atomics and counted elements against closed forms.

#include "simt/device.hpp"
#include "tests/simt/words.hpp"

#include <gtest/gtest.h>

namespace onefold::simt::test {
namespace {

constexpr unsigned grid = 3;
constexpr unsigned block = 64;
constexpr unsigned warps = grid * block / 32;

counts count(counted_kernel which, unsigned blocks = grid, unsigned threads = block,
             unsigned warp = 32, schedule order = schedule::forward) {
  device gpu;
  std::vector<int> zeros(8 * block);
  int* out = gpu.memory().copy(std::span<const int>(zeros), "out");
  launch_counted(gpu,
                 {.grid = {blocks},
                  .block = {threads},
                  .dynamic_shared_bytes = threads * sizeof(int),
                  .warp_lanes = warp,
                  .order = order},
                 which, out);
  return gpu.counts();
}

TEST(counts, of_shuffles_are_one_for_each_warp_that_executes_one) {
  EXPECT_EQ(count(counted_kernel::shuffle_tree).shuffles, 5 * warps);
  EXPECT_EQ(count(counted_kernel::shuffle_tree, grid, block, 4).shuffles, 2 * 8 * warps);
  // Half a warp fills its instruction as well as a whole one.
  EXPECT_EQ(count(counted_kernel::shuffle_tree, grid, block - 16).shuffles, 5 * warps);
}

TEST(counts, of_parts_of_a_warp_are_one_for_each_part) {
  EXPECT_EQ(count(counted_kernel::shuffles_of_halves).shuffles, 2 * warps);
}

TEST(counts, of_votes_matches_and_reductions_stand_apart) {
  const counts c = count(counted_kernel::every_vote);
  EXPECT_EQ(c.votes, 3 * warps);
  EXPECT_EQ(c.matches, warps);
  EXPECT_EQ(c.reductions, warps);
  EXPECT_EQ(c.shuffles, 0u);
}

TEST(counts, of_fences_and_syncwarps_are_those_of_warps) {
  const counts c = count(counted_kernel::fences_and_syncs);
  EXPECT_EQ(c.fences, 2 * warps);
  EXPECT_EQ(c.syncwarps, 2 * warps);
  EXPECT_EQ(c.barriers, 0u);
}

TEST(counts, of_atomics_on_one_word_are_a_sector_for_each_warp) {
  const counts c = count(counted_kernel::atomics_on_one);
  EXPECT_EQ(c.global_atomic, (global_counts{warps, warps, warps}));
  EXPECT_EQ(c.shared_atomic, (shared_counts{warps, 32 * warps, 31 * warps, 32}));
  EXPECT_EQ(c.shared_atomics, warps);
  EXPECT_EQ(c.global_store.requests, 0u);
  EXPECT_EQ(c.shared_load.requests, 0u);
}

TEST(counts, of_atomics_on_neighbouring_words_are_four_sectors_for_each_warp) {
  const counts c = count(counted_kernel::atomics_in_a_row);
  EXPECT_EQ(c.global_atomic, (global_counts{warps, 4 * warps, warps}));
  EXPECT_EQ(c.shared_atomic, (shared_counts{warps, warps, 0, 1}));
}

TEST(counts, of_atomics_a_sector_apart_are_a_sector_for_each_lane) {
  EXPECT_EQ(count(counted_kernel::atomics_apart).global_atomic,
            (global_counts{warps, 32 * warps, 8 * warps}));
}

// A compiler likes to make calls of the C library of such loops.
TEST(counts, of_loops_that_copy_and_clear_are_those_of_their_words) {
  const counts c = count(counted_kernel::copies_and_clears);
  EXPECT_EQ(c.global_load.requests, 8 * grid);
  EXPECT_EQ(c.global_store.requests, 16 * grid);
  EXPECT_EQ(c.shared_load.requests, 8 * grid);
  EXPECT_EQ(c.shared_store.requests, 8 * grid);
}

TEST(counts, of_atomics_of_8_bytes_are_eight_sectors_for_each_warp) {
  EXPECT_EQ(count(counted_kernel::atomics_of_8_bytes).global_atomic,
            (global_counts{warps, 8 * warps, 2 * warps}));
}

TEST(counted_elements, a_tree_of_n_elements_makes_n_less_one_operations) {
  for (unsigned threads = 1; threads <= block; threads *= 2) {
    const counts c = count(counted_kernel::counted_tree, grid, threads);
    EXPECT_EQ(c.element_operations, grid * (threads - 1));
    unsigned steps = 0;
    while (1u << steps < threads) ++steps;
    EXPECT_EQ(c.element_operations_worst_lane, steps);
  }
}

TEST(counts, of_words_do_not_depend_on_the_schedule) {
  for (auto which = counted_kernel::shuffle_tree; which <= counted_kernel::counted_tree;
       which = static_cast<counted_kernel>(static_cast<int>(which) + 1)) {
    for (const schedule order : {schedule::reverse, schedule::shuffled, schedule::lockstep}) {
      EXPECT_EQ(count(which, grid, block, 32, order), count(which)) << static_cast<int>(which);
    }
  }
}

}  // namespace
}  // namespace onefold::simt::test
