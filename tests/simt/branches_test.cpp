// SPDX-License-Identifier: Apache-2.0
// Basic blocks of warps, from traces that a test writes: no compiler decides what a block is.

#include "simt/branches.hpp"
#include "simt/executor.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace onefold::simt::test {
namespace {

constexpr unsigned lanes = 4;
constexpr unsigned warps = 2;

using trace = std::vector<std::uintptr_t>;
/// For each interval between barriers, what each lane enters.
using program = std::vector<std::vector<trace>>;

/// A counter that receives launches, and otherwise only what the test gives it.
class observed_counter {
 public:
  observed_counter() { gpu_.attach(observer_); }

  /// `order` says which lane takes its next step, as long as it has one.
  template <class Order>
  block_counts count(const program& intervals, Order&& order) {
    launch(gpu_, {.block = {lanes * warps}, .warp_lanes = lanes}, [] {});
    counter_.block_begins(0);
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      enter_all(intervals[i], order);
      if (i + 1 != intervals.size()) counter_.barrier({0, static_cast<unsigned>(i), warps, true});
    }
    for (unsigned t = 0; t < lanes * warps; ++t) counter_.lane_ends(position(t));
    counter_.block_ends(0);
    return counter_.blocks();
  }

 private:
  struct hears_of_launches : observer {
    explicit hears_of_launches(branch_counter& to) : counter(to) {}
    void launch_begins(const launch_view& launch) override { counter.launch_begins(launch); }
    branch_counter& counter;
  };

  static lane_position position(unsigned thread) {
    return {static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(thread / lanes),
            static_cast<std::uint16_t>(thread % lanes)};
  }

  template <class Order>
  void enter_all(const std::vector<trace>& interval, Order& order) {
    std::vector<std::size_t> next(interval.size(), 0);
    std::size_t left = 0;
    for (const trace& went : interval) left += went.size();
    while (left != 0) {
      const unsigned t = order() % (lanes * warps);
      if (next[t] == interval[t].size()) continue;
      counter_.step(position(t), interval[t][next[t]++]);
      --left;
    }
  }

  branch_counter counter_;
  hears_of_launches observer_{counter_};
  executor gpu_;
};

block_counts count(const program& intervals) {
  return observed_counter().count(intervals, [t = 0u]() mutable { return t++; });
}

/// The same by their definition: of each block, as often as the lane that entered it most.
block_counts by_definition(const program& intervals) {
  block_counts total;
  for (const std::vector<trace>& interval : intervals) {
    for (unsigned w = 0; w < warps; ++w) {
      std::map<std::uintptr_t, std::ptrdiff_t> most;
      for (unsigned t = w * lanes; t < (w + 1) * lanes; ++t) {
        total.by_lanes += interval[t].size();
        for (const std::uintptr_t block : interval[t]) {
          most[block] = std::max(most[block], std::ranges::count(interval[t], block));
        }
      }
      for (const auto& [block, times] : most) total.by_warps += static_cast<std::uint64_t>(times);
    }
  }
  return total;
}

program same_for_all(const trace& went, std::size_t intervals = 1) {
  return program(intervals, std::vector<trace>(lanes * warps, went));
}

TEST(block_counts, of_lanes_that_stay_together_are_those_of_one_lane) {
  const block_counts c = count(same_for_all({10, 20, 20, 30}));
  EXPECT_EQ(c, (block_counts{4 * warps, 4 * lanes * warps}));
  EXPECT_EQ(c.lanes_together(), lanes);
}

TEST(block_counts, of_two_ways_are_those_of_both) {
  program p = same_for_all({10, 30});
  p[0][1] = {10, 20, 30};
  const block_counts c = count(p);
  EXPECT_EQ(c, (block_counts{2 * warps + 1, 2 * lanes * warps + 1}));
}

TEST(block_counts, of_a_loop_are_those_of_the_lane_that_stays_longest) {
  program p = same_for_all({10});
  p[0][2] = {10, 10, 10};
  EXPECT_EQ(count(p), (block_counts{3 + 1, lanes * warps + 2}));
}

TEST(block_counts, do_not_count_the_block_of_a_barrier_twice) {
  EXPECT_EQ(count(same_for_all({10, 20}, 3)), (block_counts{6 * warps, 6 * lanes * warps}));
}

TEST(block_counts, of_nothing_are_nothing) {
  EXPECT_EQ(count(same_for_all({})), block_counts{});
  EXPECT_EQ(block_counts{}.lanes_together(), 0);
}

program random_program(onefold::test::random_source& random) {
  program p(1 + random.below(3), std::vector<trace>(lanes * warps));
  for (auto& interval : p) {
    for (trace& went : interval) {
      for (std::uint64_t steps = 1 + random.below(6); steps > 0; --steps) {
        went.push_back(10 * (1 + random.below(3)));
      }
    }
  }
  return p;
}

TEST(block_counts, of_random_programs_are_those_of_the_definition_in_every_order) {
  observed_counter counter;
  for (std::int64_t i = 0; i < onefold::test::cases(2000); ++i) {
    onefold::test::random_source random(onefold::test::seed() + static_cast<std::uint64_t>(i));
    const program p = random_program(random);
    EXPECT_EQ(counter.count(p, [&random] { return static_cast<unsigned>(random.below(1024)); }),
              by_definition(p));
  }
}

}  // namespace
}  // namespace onefold::simt::test
