// SPDX-License-Identifier: Apache-2.0
// Every rung is right and clean for every length, block, type and schedule, and no claim about it
// is broken at any size.

#include "ladder/commands/climb.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace onefold::ladder::test {
namespace {

constexpr element all_types[] = {element::int32, element::float32, element::float64};
constexpr simt::schedule all_schedules[] = {simt::schedule::forward, simt::schedule::reverse,
                                            simt::schedule::shuffled, simt::schedule::lockstep};

std::vector<const rung*> right_rungs() {
  std::vector<const rung*> list;
  for (const rung& r : all_rungs()) {
    if (!r.published) list.push_back(&r);
  }
  return list;
}

std::vector<climb_step> right_steps(const trial_options& options) {
  std::vector<climb_step> steps;
  for (const rung* r : right_rungs()) steps.push_back({r, options});
  return steps;
}

void expect_right(const trial_options& options) {
  for (const climb_result& result : climb(right_steps(options))) {
    const trial& t = result.outcome;
    const std::string where = std::string(result.step->name) + " n " + std::to_string(options.n) +
                              " block " + std::to_string(options.block) + " " +
                              to_string(options.type) + " " + to_string(options.order);
    EXPECT_EQ(t.verdict(), "right") << where << ": " << t.answer << ", not " << t.expected;
    EXPECT_EQ(t.reads.once, options.n) << where;
    EXPECT_TRUE(result.claims_hold) << where;
  }
}

TEST(every_rung, is_right_for_short_arrays_in_every_block_type_and_schedule) {
  for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 64, 100, 1000}) {
    for (unsigned block = 1; block <= 1024; block *= 2) {
      for (const element type : all_types) {
        for (const simt::schedule order : all_schedules) expect_right({n, block, type, order});
      }
    }
  }
}

TEST(every_rung, is_right_for_long_arrays_in_every_schedule) {
  for (const std::size_t n : {65535, 65536, 65537}) {
    for (const simt::schedule order : all_schedules) {
      expect_right({n, 256, element::int32, order});
    }
  }
}

TEST(every_rung, is_right_for_long_arrays_in_every_type) {
  for (const element type : all_types) {
    for (const unsigned block : {32u, 1024u}) expect_right({70000, block, type});
  }
}

TEST(every_rung, is_right_with_toy_warps) {
  for (const unsigned warp : {1u, 2u, 4u, 8u, 16u}) {
    expect_right({100, 16, element::int32, simt::schedule::shuffled, 7, warp});
  }
}

TEST(every_rung, refuses_blocks_that_are_no_power_of_two) {
  for (const unsigned block : {0u, 3u, 96u, 1000u, 2048u}) {
    for (const rung* r : right_rungs()) {
      EXPECT_THROW(try_rung(*r, {100, block}), std::invalid_argument) << block;
    }
  }
}

}  // namespace
}  // namespace onefold::ladder::test
