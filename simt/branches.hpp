// SPDX-License-Identifier: Apache-2.0
#pragma once
// Divergent branches, from the trace of basic blocks: lanes of a warp that leave the same block
// for the k-th time since a barrier but enter different ones have diverged there, once.
//
// Blocks outnumber memory accesses ten to one, so a lane only appends to its trace. At the barrier
// the lanes of a warp with equal traces are taken together: a warp that stays together costs 31
// comparisons, and the grouping sees one lane of each path.

#include "simt/observer.hpp"

#include <map>
#include <vector>

namespace onefold::simt {

class branch_counter : public observer {
 public:
  std::uint64_t divergent() const { return divergent_; }

  void launch_begins(const launch_view& launch) override;
  void block_begins(unsigned block) override;
  void step(const lane_position& who, std::uintptr_t block_pc) override {
    traces_[who.thread].push_back(block_pc);
  }
  void lane_ends(const lane_position& who) override { traces_[who.thread].push_back(ended); }
  void barrier(const barrier_view&) override { count_and_restart(); }
  void block_ends(unsigned) override { count_and_restart(); }
  bool wants_steps() const override { return true; }

 private:
  using trace = std::vector<std::uintptr_t>;
  static constexpr std::uintptr_t ended = 0;

  void count_and_restart();
  void count_warp(unsigned first, unsigned last);
  void find_paths(unsigned first, unsigned last);
  void restart(trace& t);

  // A trace begins with the block the lane was in at the last barrier, whose exit comes after it.
  std::vector<trace> traces_;
  std::vector<const trace*> paths_;  ///< distinct traces of one warp
  unsigned warp_lanes_ = 0;
  std::uint64_t divergent_ = 0;
};

}  // namespace onefold::simt
