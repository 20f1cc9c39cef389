// SPDX-License-Identifier: Apache-2.0
// The loop rungs: right for every length, block, type, grid and schedule; what unrolling saves,
// which is work between the accesses to memory, and what it does not.

#include "ladder/commands/climb.hpp"
#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/problem.hpp"
#include "ladder/trial/try_rung.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace onefold::ladder::test {
namespace {

struct unrolling {
  const char* rung;
  unsigned items;
};
constexpr unrolling unrollings[] = {{"loop/x1", 1}, {"loop/x2", 2}, {"loop/x4", 4}};

std::string where(const trial_options& o) {
  return "n " + std::to_string(o.n) + " block " + std::to_string(o.block) + " " +
         to_string(o.type) + " " + to_string(o.order) + " warp " + std::to_string(o.warp) +
         " max grid " + std::to_string(o.max_grid);
}

void expect_right(const trial_options& options) {
  std::vector<climb_step> steps;
  for (const unrolling& u : unrollings) steps.push_back({find_rung(u.rung), options});
  for (const climb_result& result : climb(steps)) {
    const trial& t = result.outcome;
    const std::string here = std::string(result.step->name) + " " + where(options);
    EXPECT_EQ(t.verdict(), "right") << here << ": " << t.answer;
    EXPECT_EQ(t.reads.once, options.n) << here;
    EXPECT_TRUE(result.claims_hold) << here;
  }
}

TEST(every_loop, is_right_for_every_short_length) {
  for (std::size_t n = 0; n <= 70; ++n) {
    for (const unsigned block : {1u, 4u, 32u, 64u}) {
      for (const unsigned max_grid : {1u, 2u, 1024u}) {
        expect_right({.n = n, .block = block, .max_grid = max_grid});
      }
    }
  }
}

TEST(every_loop, is_right_in_every_block_type_and_schedule) {
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 999, 1000}) {
    for (unsigned block = 1; block <= 1024; block *= 2) {
      for (const element type : number_types) {
        for (const simt::schedule order : simt::all_schedules)
          expect_right({n, block, type, order});
      }
    }
  }
}

TEST(every_loop, is_right_for_long_arrays) {
  for (const element type : number_types) {
    for (const unsigned max_grid : {3u, 1024u}) {
      for (const std::size_t n : {65536, 65537, 65539}) {
        expect_right({.n = n, .type = type, .max_grid = max_grid});
      }
    }
  }
}

TEST(every_loop, is_right_with_toy_warps) {
  for (const unsigned warp : {1u, 2u, 4u, 8u, 16u}) {
    for (const simt::schedule order : simt::all_schedules) {
      expect_right({.n = 103, .block = 8, .order = order, .warp = warp, .max_grid = 3});
    }
  }
}

TEST(every_loop, may_run_again_on_the_memory_it_used) {
  for (const unrolling& u : unrollings) {
    const trial_options options{.n = 5001, .block = 64, .type = element::float32};
    executor_backend backend(options);
    const auto work = make_problem(*find_rung(u.rung), options, backend);
    for (int again = 0; again < 3; ++again) {
      work->run();
      EXPECT_TRUE(work->check().right) << u.rung << " run " << again;
    }
    EXPECT_TRUE(backend.findings().empty()) << u.rung;
  }
}

// Whole warps: each takes a run of 32 elements of a, of b and of the sums, in requests of its own.
TEST(loop_counts, are_those_of_the_arrays_however_the_loop_is_unrolled) {
  for (const unrolling& u : unrollings) {
    for (const unsigned block : {32u, 256u, 1024u}) {
      for (const unsigned max_grid : {1u, 3u, 1024u}) {
        for (const std::uint64_t n : {32u, 4096u, 65536u, 65536u + 96u}) {
          const trial_options options{.n = n, .block = block, .max_grid = max_grid};
          const trial t = try_rung(*find_rung(u.rung), options);
          const std::uint64_t covered = std::uint64_t{block} * u.items;
          EXPECT_EQ(t.grid, std::min<std::uint64_t>((n + covered - 1) / covered, max_grid));
          simt::counts want;
          want.global_load = {2 * n / 32, 2 * n / 8, 2 * n / 32};
          want.global_store = {n / 32, n / 8, n / 32};
          EXPECT_EQ(t.counts, want) << u.rung << " " << where(options);
        }
      }
    }
  }
}

/// Basic blocks that are entered.
class step_counter : public simt::observer {
 public:
  bool wants_steps() const override { return true; }
  void step(const simt::lane_position&, std::uintptr_t) override { ++steps; }

  std::uint64_t steps = 0;
};

/// That one lane enters for 4,096 elements more: of rounds, not of what comes before and behind.
std::uint64_t steps_of(const char* rung) {
  std::uint64_t steps[2] = {};
  for (const std::size_t more : {0, 1}) {
    step_counter counter;
    const trial_options options{.n = 4096 + 4096 * more, .block = 1, .max_grid = 1};
    try_rung(*find_rung(rung), options, nullptr, &counter);
    steps[more] = counter.steps;
  }
  return steps[1] - steps[0];
}

// How many blocks a round has is the compiler's choice, and the same one for three loops that
// differ in the length of a body without a branch.
TEST(loop_counts, show_that_unrolling_halves_the_rounds) {
  EXPECT_GE(steps_of("loop/x1"), 4096u);
  EXPECT_EQ(steps_of("loop/x1"), 2 * steps_of("loop/x2"));
  EXPECT_EQ(steps_of("loop/x2"), 2 * steps_of("loop/x4"));
}

TEST(loop_x2_as_published, is_right_and_runs_past_the_end_of_three_arrays) {
  const rung& twin = *find_rung("published/loop-x2");
  for (const simt::schedule order : simt::all_schedules) {
    for (const element type : number_types) {
      const trial t = try_rung(twin, {.n = 1001, .type = type, .order = order});
      EXPECT_EQ(t.verdict(), "bounds");
      EXPECT_TRUE(t.right);
      std::uint64_t accesses = 0;
      for (const simt::finding& f : t.findings) accesses += f.times;
      EXPECT_EQ(accesses, 3u) << "a[1001], b[1001], sums[1001]";
      EXPECT_EQ(try_rung(twin, {.n = 1000, .type = type, .order = order}).verdict(), "right");
    }
  }
}

TEST(loop_x2_as_published, shows_what_its_claims_say_at_every_size) {
  const rung* twin = find_rung("published/loop-x2");
  for (const std::size_t n : {0, 1, 2, 32, 33, 64, 96, 127, 1000, 1001, 65536}) {
    for (const unsigned block : {1u, 32u, 256u, 1024u}) {
      for (const element type : number_types) {
        EXPECT_TRUE(climb({{twin, {n, block, type}}})[0].claims_hold) << n << " " << block;
      }
    }
  }
}

TEST(a_loop, refuses_a_driver_for_partials_that_it_does_not_have) {
  for (const driver drive : {driver::second_launch, driver::passes}) {
    for (const char* name : {"loop/x1", "loop/x2", "loop/x4", "published/loop-x2"}) {
      EXPECT_THROW(try_rung(*find_rung(name), {.n = 100, .drive = drive}), std::invalid_argument);
    }
  }
}

// Lanes are paused in long loops, so that those that wait for each other come to an end.
TEST(a_long_loop, is_counted_once_although_its_lanes_are_paused) {
  const trial t = try_rung(*find_rung("loop/x1"),
                           {.n = 2400000, .block = 32, .type = element::float32, .max_grid = 1});
  EXPECT_EQ(t.verdict(), "right");
  EXPECT_EQ(t.counts.divergent_branches, 0u);
}

}  // namespace
}  // namespace onefold::ladder::test
