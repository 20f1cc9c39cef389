// SPDX-License-Identifier: Apache-2.0
// Random programs, driven straight into race_check, against an oracle that knows only the rules:
// the happens-before order as a set of earlier events for each event.

#include "simt/races.hpp"

#include "simt/findings.hpp"
#include "simt/memory_map.hpp"
#include "tests/simt/random_program.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <set>

namespace onefold::simt::test {
namespace {

using event_set = std::bitset<events_at_most>;

/// The rules, without any economy.
class oracle {
 public:
  /// The earlier accesses that race with step i, in the order of the program.
  std::vector<std::size_t> add(const std::vector<step>& steps, std::size_t i) {
    const step& s = steps[i];
    std::vector<std::size_t> races;
    switch (s.kind) {
    case act::next_block:
      for (past& p : lanes_) p = {};
      break;
    case act::barrier:
      join((1u << threads) - 1);
      break;
    case act::warp_barrier:
      join(s.lanes << s.thread / lanes_of_warp * lanes_of_warp);
      break;
    case act::fence:
      while (acquire(steps, i)) {
      }
      break;
    default:
      for (std::size_t j = 0; j < i; ++j) {
        if (conflict(steps[j], s) && !lanes_[s.thread].ordered(j)) races.push_back(j);
      }
      if (s.kind == act::atomic) observe(steps, i);
    }
    before_.push_back(lanes_[s.thread]);
    lanes_[s.thread].before.set(i);
    return races;
  }

 private:
  struct past {
    event_set before;
    event_set observed;  ///< atomics that a later atomic of the past has seen, and nothing more

    bool ordered(std::size_t j) const { return before[j] || observed[j]; }
    void join(const past& more) {
      before |= more.before;
      observed |= more.observed;
    }
  };

  static bool overlap(const step& a, const step& b) {
    return a.where == b.where && (a.where == space::global || a.block == b.block) &&
           a.at < b.at + b.size_bytes && b.at < a.at + a.size_bytes;
  }

  static bool conflict(const step& a, const step& b) {
    if (!a.accesses() || !overlap(a, b) || (a.block == b.block && a.thread == b.thread)) {
      return false;
    }
    return (a.writes() || b.writes()) && !(a.kind == act::atomic && b.kind == act::atomic);
  }

  void join(std::uint32_t lanes) {
    past all;
    for (unsigned t = 0; t < threads; ++t) {
      if (lanes >> t & 1) all.join(lanes_[t]);
    }
    for (unsigned t = 0; t < threads; ++t) {
      if (lanes >> t & 1) lanes_[t] = all;
    }
  }

  /// The earlier atomics on the address of b without a plain write between.
  template <class Use>
  static void for_each_seen(const std::vector<step>& steps, std::size_t b, Use&& use) {
    for (std::size_t a = b; a-- > 0;) {
      if (!steps[a].accesses() || !overlap(steps[a], steps[b])) continue;
      if (steps[a].kind == act::write) return;
      if (steps[a].kind == act::atomic) use(a);
    }
  }

  void observe(const std::vector<step>& steps, std::size_t b) {
    for_each_seen(steps, b, [&](std::size_t a) { lanes_[steps[b].thread].observed.set(a); });
  }

  /// F, then A, then B, then the fence y; whether that was news.
  bool acquire(const std::vector<step>& steps, std::size_t y) {
    const event_set seen = lanes_[steps[y].thread].before;
    for (std::size_t b = 0; b < y; ++b) {
      if (!seen[b] || steps[b].kind != act::atomic) continue;
      for_each_seen(steps, b, [&](std::size_t a) { take(steps, a, y); });
    }
    return lanes_[steps[y].thread].before != seen;
  }

  void take(const std::vector<step>& steps, std::size_t a, std::size_t y) {
    for (std::size_t f = 0; f < a; ++f) {
      if (!before_[a].before[f] || steps[f].kind != act::fence) continue;
      const bool device_wide =
          steps[f].scope == fence_scope::device && steps[y].scope == fence_scope::device;
      if (!device_wide && steps[f].block != steps[y].block) continue;
      lanes_[steps[y].thread].join(before_[f]);
      lanes_[steps[y].thread].before.set(f);
    }
  }

  std::array<past, threads> lanes_;  ///< of the running block
  std::vector<past> before_;         ///< of each step
};

/// The observer with all that is reported to it.
class checker {
 public:
  explicit checker(race_check& races) : races_(races) {
    races_.launch_begins(
        {config_, map_, memory_, report_, sites_, threads, threads / lanes_of_warp});
    races_.block_begins(0);
  }

  /// Whether a race is reported at this step.
  bool add(const step& s, site_id site) {
    report_.clear();
    const lane_position who{static_cast<std::uint16_t>(s.thread),
                            static_cast<std::uint16_t>(s.thread / lanes_of_warp),
                            static_cast<std::uint16_t>(s.thread % lanes_of_warp)};
    switch (s.kind) {
    case act::next_block:
      races_.block_begins(0);
      break;
    case act::barrier:
      races_.barrier({});
      break;
    case act::fence:
      races_.fence(who, s.scope, site);
      break;
    case act::warp_barrier:
      races_.warp_operation({warp_word::synchronise, site, who.warp, s.lanes});
      break;
    default:
      races_.access(access_of(s, who, site));
    }
    return !report_.empty();
  }

 private:
  static memory_access access_of(const step& s, const lane_position& who, site_id site) {
    memory_access access{};
    access.where = s.where;
    access.writes = s.writes();
    access.reads = s.kind != act::write;
    access.atomic = s.kind == act::atomic;
    access.inside = true;
    access.size_bytes = static_cast<std::uint16_t>(s.size_bytes);
    access.site = site;
    access.who = who;
    access.offset = s.at + (s.where == space::shared ? first_shared : first_global);
    return access;
  }

  race_check& races_;
  launch_config config_{.block = {threads}, .warp_lanes = lanes_of_warp};
  arena memory_;
  memory_map map_{memory_};
  findings report_;
  site_table sites_;
};

/// Bytes of global and of each block's shared memory.
std::set<std::size_t> bytes_of(const step& s) {
  std::set<std::size_t> bytes;
  const std::size_t base = s.where == space::global ? 0 : 1000 * (s.block + 1);
  for (std::size_t i = 0; i < s.size_bytes; ++i) bytes.insert(base + s.at + i);
  return bytes;
}

void compare_with_oracle(race_check& races, const std::vector<step>& steps, std::uint64_t seed) {
  checker checked(races);
  oracle reference;
  std::set<std::size_t> racy_bytes, reported_bytes;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto rivals = reference.add(steps, i);
    const auto touched = bytes_of(steps[i]);
    const bool reported = checked.add(steps[i], static_cast<site_id>(i + 1));
    EXPECT_FALSE(reported && rivals.empty()) << "seed " << seed << ", step " << i;
    if (reported) reported_bytes.insert(touched.begin(), touched.end());
    for (const std::size_t rival : rivals) {
      for (const std::size_t byte : bytes_of(steps[rival])) {
        if (touched.count(byte) != 0) racy_bytes.insert(byte);
      }
    }
  }
  for (const std::size_t byte : racy_bytes) {
    EXPECT_TRUE(reported_bytes.count(byte) != 0) << "seed " << seed << ", byte " << byte;
  }
}

TEST(races, the_verdict_on_every_byte_of_20000_random_programs_is_that_of_the_oracle) {
  race_check races;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    const program p(seed, 16 + seed % (events_at_most - 16));
    compare_with_oracle(races, p.steps, seed);
    if (HasFailure()) return;
  }
}

// Too rare a path for random programs: a fence of the block hands on what only a device-wide fence
// of another lane acquires.
TEST(races, what_a_block_fence_left_pending_a_device_fence_acquires) {
  const auto access = [](act kind, unsigned block, unsigned thread, std::size_t at) {
    return step{kind, block, thread, space::global, at, 4};
  };
  const auto fence = [](unsigned block, unsigned thread, fence_scope scope) {
    return step{act::fence, block, thread, space::global, 0, 0, scope};
  };
  for (const fence_scope last : {fence_scope::device, fence_scope::block}) {
    race_check races;
    const std::vector<step> steps = {access(act::write, 0, 0, 8),
                                     fence(0, 0, fence_scope::device),
                                     access(act::atomic, 0, 0, 0),
                                     step{act::next_block, 1},
                                     access(act::atomic, 1, 0, 0),
                                     fence(1, 0, fence_scope::block),
                                     access(act::atomic, 1, 0, 4),
                                     access(act::atomic, 1, 4, 4),
                                     fence(1, 4, last),
                                     access(act::read, 1, 4, 8)};
    compare_with_oracle(races, steps, 0);
    checker checked(races);
    bool reported = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      reported |= checked.add(steps[i], static_cast<site_id>(i + 1));
    }
    EXPECT_EQ(reported, last == fence_scope::block);
  }
}

}  // namespace
}  // namespace onefold::simt::test
