// SPDX-License-Identifier: Apache-2.0
#pragma once
// Divergent branches, from the trace of basic blocks: lanes of a warp that leave the same block
// for the k-th time since a barrier but enter different ones have diverged there, once. The same
// traces say how many blocks a warp executed, and with how many lanes.
//
// Blocks outnumber memory accesses ten to one, so the traces of a warp are one tree: a lane that
// goes where another has been before only moves along its path, and forks off where it does not.
// Lanes at one place of the tree have equal traces, so a warp that stays together costs one trace
// and no comparison at the barrier.

#include "simt/counts.hpp"
#include "simt/observer.hpp"

#include <compare>
#include <vector>

namespace onefold::simt {

class branch_counter final : public observer, public path_follower {
 public:
  std::uint64_t divergent() const { return divergent_; }
  const block_counts& blocks() const { return blocks_; }

  void launch_begins(const launch_view& launch) override;
  void block_begins(unsigned) override { plant(); }
  const std::uintptr_t* expected(const lane_position& who) override {
    const place& at = places_[who.thread];
    return paths_[at.path].blocks.data() + at.next;
  }
  void went(const lane_position& who, std::size_t steps) override {
    places_[who.thread].next += static_cast<std::uint32_t>(steps);
  }
  void step(const lane_position& who, std::uintptr_t block_pc) override;
  void lane_ends(const lane_position& who) override { step(who, ended); }
  void barrier(const barrier_view& barrier) override {
    if (barrier.alone) count_and_restart();
  }
  void block_ends(unsigned) override { count(); }
  bool wants_accesses() const override { return false; }

 private:
  using trace = std::vector<std::uintptr_t>;
  static constexpr std::uintptr_t ended = 0;

  /// A lane's place: the block it enters next is, or will be, paths_[path].blocks[next].
  struct place {
    std::uint32_t path = 0;
    std::uint32_t next = 0;
    bool operator==(const place&) const = default;
  };

  struct fork {
    std::uintptr_t block;  ///< the first one of its path
    std::uint32_t at;      ///< the block of this path that it enters instead
    std::uint32_t path;
  };

  struct path {
    trace blocks{path_end};
    place from;  ///< where it forked off; a warp's first path has none
    std::vector<fork> forks;
  };

  /// A lane of a warp enters `block` for the time-th time.
  struct visit {
    std::uintptr_t block;
    std::size_t time;
    auto operator<=>(const visit&) const = default;
  };

  /// A path leaves `block` for the time-th time and enters `target`.
  struct departure {
    std::uintptr_t block;
    std::size_t time;
    std::uintptr_t target;
    auto operator<=>(const departure&) const = default;
  };

  void plant();
  static void append(trace& blocks, std::uintptr_t block_pc);
  place fork_off(place from, std::uintptr_t block_pc);
  std::uint32_t new_path(place from);
  std::uintptr_t last_block(const place& at) const;
  trace trace_to(place at) const;
  std::uint64_t blocks_to(place at) const;
  void count();
  void count_and_restart();
  unsigned end_of(unsigned warp) const {
    const auto last = static_cast<unsigned>(places_.size());
    return (warp + 1) * warp_lanes_ < last ? (warp + 1) * warp_lanes_ : last;
  }
  void count_warp(unsigned warp);
  void find_distinct(unsigned warp);
  void find_divergent();
  void add_departures(const trace& went);
  void add_visits(trace went);
  void restart(unsigned warp);

  std::vector<path> paths_;  ///< the first ones are those of the warps
  std::size_t paths_used_ = 0;
  std::vector<place> places_;          ///< of the lanes
  std::vector<place> distinct_;        ///< places of one warp
  std::vector<departure> departures_;  ///< of one warp
  std::vector<visit> visits_;          ///< of one warp
  trace last_;                         ///< the block in which each lane is
  std::vector<bool> same_last_;        ///< of each warp, whether its lanes are in one block
  unsigned warp_lanes_ = 0;
  unsigned warps_ = 0;
  bool since_barrier_ = false;  ///< then a trace begins with the block of the barrier
  std::uint64_t divergent_ = 0;
  block_counts blocks_;
};

}  // namespace onefold::simt
