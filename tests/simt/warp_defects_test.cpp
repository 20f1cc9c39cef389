// SPDX-License-Identifier: Apache-2.0
// Defects of warp operations, atomics and fences, in warps of 32 and of 4 lanes.

#include "tests/simt/planted_runs.hpp"

#include <gtest/gtest.h>

namespace onefold::simt::test {
namespace {

class warps : public testing::TestWithParam<unsigned> {
 protected:
  planted_launch one_block() const { return {.grid = 1, .warp = GetParam()}; }
  planted_launch two_blocks() const { return {.grid = 2, .warp = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(widths, warps, testing::Values(32u, 4u));

TEST_P(warps, a_mask_without_the_lane_that_calls_is_named) {
  expect_at("mask_without_itself", defect::warp_mask, {"mask without itself"}, one_block());
}

TEST_P(warps, a_mask_with_lanes_that_have_ended_is_named) {
  expect_at("mask_of_ended_lanes", defect::warp_mask, {"ended lanes"}, one_block());
}

TEST_P(warps, a_shuffle_from_a_lane_outside_the_mask_is_named) {
  expect_at("source_outside_the_mask", defect::warp_mask, {"source outside"}, one_block());
}

TEST_P(warps, lanes_that_wait_for_each_other_with_different_masks_are_named) {
  expect_at("two_masks", defect::warp_mask, {"two masks, all", "two masks, fewer"}, one_block());
}

TEST_P(warps, lanes_of_a_mask_that_never_come_are_a_deadlock) {
  expect_at("warp_against_block", defect::deadlock, {"deadlock, warp", "deadlock, block"},
            one_block());
}

TEST_P(warps, parts_of_a_warp_may_meet_with_their_own_masks) {
  expect_nothing("halves_with_their_own_masks", one_block());
}

TEST_P(warps, syncwarp_orders_memory_and_a_shuffle_does_not) {
  expect_nothing("through_memory<true>", one_block());
  expect_at("through_memory<false>", defect::race,
            {"through memory, write", "through memory, read"}, one_block());
}

TEST_P(warps, syncwarp_orders_only_the_lanes_of_its_mask) {
  expect_at("syncwarp_of_halves", defect::race,
            {"syncwarp of halves, write", "syncwarp of halves, read"}, one_block());
}

TEST_P(warps, syncwarp_does_not_order_two_warps) {
  expect_at("warps_need_a_barrier", defect::race, {"two warps, write", "two warps, read"},
            one_block());
}

TEST_P(warps, the_last_block_may_read_what_others_have_fenced) {
  expect_nothing("last_block<fences::device>", two_blocks());
}

TEST_P(warps, the_last_block_races_without_fences_and_with_those_of_a_block) {
  for (const std::string kernel : {"last_block<fences::none>", "last_block<fences::block>"}) {
    expect_at(kernel, defect::race, {"last block, write", "last block, read"}, two_blocks());
  }
}

TEST_P(warps, a_fence_of_the_block_serves_the_warps_of_a_block) {
  expect_nothing("last_warp_of_a_block<fences::block>", one_block());
  expect_at("last_warp_of_a_block<fences::none>", defect::race,
            {"last warp, write", "last warp, read"}, one_block());
}

TEST_P(warps, an_atomic_races_with_a_plain_read) {
  expect_at("atomic_and_plain", defect::race,
            {"atomic and plain, atomic", "atomic and plain, read"}, one_block());
}

TEST_P(warps, a_lock_that_nobody_opens_is_given_up) {
  expect_at("never_unlocked", defect::no_progress, {"never unlocked"}, one_block());
}

TEST(last_block, may_read_by_all_lanes_also_where_blocks_run_together) {
  for (const unsigned cluster : {1u, 2u}) {
    const planted_launch two{.grid = 2, .cluster = cluster};
    expect_nothing("last_block_of_lanes<fences::device>", two);
    expect_at("last_block_of_lanes<fences::none>", defect::race,
              {"last block of lanes, write", "last block of lanes, read"}, two);
  }
}

TEST(last_block, gives_the_sum_and_resets_the_counter_under_every_schedule) {
  for (const schedule order : all_schedules) {
    const outcome o = run_planted("last_block<fences::device>", order, {.grid = 8});
    EXPECT_EQ(o.out[0], 0);
    EXPECT_EQ(o.out[9], 8 * 9 / 2);
  }
}

}  // namespace
}  // namespace onefold::simt::test
