// SPDX-License-Identifier: Apache-2.0
// Every kind of defect, planted, is found under every schedule, by file and line; what only looks
// like a defect is not reported.

#include "tests/simt/planted_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace onefold::simt::test {
namespace {

TEST(races, a_missing_barrier_is_named_by_its_write_and_its_read) {
  expect_at("missing_barrier", defect::race, {"missing barrier, write", "missing barrier, read"},
            {.grid = 1});
}

TEST(races, a_write_after_another_lanes_read_is_found_behind_the_writers_own_read) {
  expect_at("read_then_written", defect::race,
            {"read then written, read", "read then written, write"}, {.grid = 1});
}

TEST(races, two_blocks_that_write_one_word_race) {
  expect_at("two_blocks_write", defect::race, {"two blocks write"});
}

TEST(races, a_block_that_reads_what_another_writes_races) {
  expect_at("one_block_reads_another", defect::race,
            {"one block reads another, write", "one block reads another, read"});
}

TEST(races, lanes_that_write_neighbouring_bytes_do_not_race) {
  expect_nothing("neighbouring_bytes");
}

TEST(races, volatile_is_no_barrier_although_lockstep_gives_the_right_sum) {
  const int right = threads * (threads + 1) / 2;
  for (const schedule order : all_schedules) {
    const outcome o = run_planted("volatile_warp", order, {.grid = 1});
    const bool race = std::any_of(o.findings.begin(), o.findings.end(),
                                  [](const finding& f) { return f.kind == defect::race; });
    EXPECT_TRUE(race);
    if (order != schedule::shuffled) {
      EXPECT_EQ(o.out[0] == right, order == schedule::lockstep);
    }
  }
}

TEST(bounds, a_read_past_the_end_is_named) {
  expect_at("reads_past_the_end", defect::bounds, {"reads past the end"});
  const outcome o = run_planted("reads_past_the_end", schedule::forward);
  EXPECT_EQ(o.findings.at(0).detail, "read of 4 bytes, 0 bytes past the end of 'in' (512 bytes)");
}

TEST(bounds, a_write_before_the_beginning_is_named) {
  expect_at("writes_before_the_beginning", defect::bounds, {"writes before the beginning"},
            {.grid = 1});
}

TEST(bounds, an_overrun_of_dynamic_shared_memory_is_named) {
  expect_at("dynamic_shared_overrun", defect::bounds, {"dynamic shared overrun"}, {.grid = 1});
}

TEST(bounds, an_overrun_of_a_static_shared_array_is_named) {
  expect_at("static_shared_overrun", defect::bounds, {"static shared overrun"}, {.grid = 1});
}

TEST(bounds, a_null_pointer_ends_the_launch_with_a_report) {
  expect_at("null_pointer", defect::bounds, {"null pointer"});
}

TEST(initialisation, a_read_of_unwritten_shared_memory_is_named) {
  expect_at("unwritten_shared", defect::uninitialised, {"unwritten shared"}, {.grid = 1});
}

TEST(initialisation, a_read_of_an_unwritten_buffer_is_named) {
  expect_at("unwritten_global", defect::uninitialised, {"unwritten global"}, {.grid = 1});
}

TEST(barriers, lanes_at_two_barriers_are_reported_with_both_lines) {
  expect_at("two_barriers", defect::divergent_barrier, {"two barriers, even", "two barriers, odd"},
            {.grid = 1});
}

TEST(barriers, a_barrier_that_some_lanes_never_reach_is_reported) {
  expect_at("some_lanes_leave", defect::divergent_barrier, {"some lanes leave"}, {.grid = 1});
}

TEST(progress, a_lane_that_waits_for_ever_is_given_up) {
  expect_at("waits_for_ever", defect::no_progress, {"waits for ever"}, {.grid = 1});
}

TEST(progress, a_lane_that_waits_for_another_gets_there) {
  for (const schedule order : all_schedules) {
    for (const finding& f :
         run_planted("waits_for_the_other", order, {.grid = 1, .step_budget = 1u << 18}).findings) {
      EXPECT_NE(f.kind, defect::no_progress) << f.text();
    }
  }
}

}  // namespace
}  // namespace onefold::simt::test
