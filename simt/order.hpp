// SPDX-License-Identifier: Apache-2.0
#pragma once
// What comes before what: the causality order of a launch, as its lanes run.
//
// A block barrier orders everything of its block: each one begins a new epoch. Inside an epoch
// __syncwarp orders the lanes that take part. Fences and atomics order lanes of any blocks:
//
//   F ... A   then   B ... Y
//
// F and Y are fences, A and B atomics on one address, A before B; "..." is any order. Then F and
// all before it come before Y: that is PTX's rule for its strongest fence, which __threadfence is.
// A fence of block scope serves lanes of one block only. Atomics without fences order one thing:
// A comes before whatever comes after B, though nothing that is before A does. So a lane that has
// seen a counter complete may reset it. Nothing else orders memory: no shuffle, no vote.
//
// A meeting is a phase of an mbarrier or of a cluster's barrier: what a lane did before it released
// comes before what a lane does that acquires later. Of several blocks of a cluster, which run
// together and count as one here, a block's barrier is such a meeting of its lanes.
//
// Every lane has a clock that ticks at its __syncwarps, fences and releases. A lane's knowledge is
// that of the last block barrier and what it has learnt since; both are joined eagerly, at the
// atomic and at the fence, so that a question costs a look-up. Blocks run one after the other: what
// a finished one has released is found in releases.hpp.
//
// Source: NVIDIA, PTX ISA, Memory Consistency Model: causality order, release and acquire
// patterns, Fence-SC order.

#include "simt/observer.hpp"
#include "simt/releases.hpp"

#include <unordered_map>

namespace onefold::simt {

class happens_before {
 public:
  void launch_begins(const launch_view& launch);
  void block_begins();
  void barrier();
  void warp_barrier(unsigned warp, std::uint32_t lanes);
  /// Of one block of a cluster, by its warps.
  void barrier(unsigned first_warp, unsigned warps);
  void fence(const lane_position& who, fence_scope scope);
  void release(const lane_position& who, meeting at);
  void acquire(const lane_position& who, meeting at);

  /// An atomic of the lane on the address of the log: no_log at first. Returns its index there.
  std::uint32_t atomic(const lane_position& who, std::uint32_t& log);

  epoch now() const { return now_; }
  epoch block_begin() const { return block_begin_; }
  epoch launch_begin() const { return launch_begin_; }
  unsigned warp_lanes() const { return warp_lanes_; }
  event event_now(const lane_position& who) const {
    return {now_, who.thread, warps_[who.warp].known[who.lane][who.lane]};
  }

  /// Whether an event of this launch comes before what the lane does now.
  bool before(const event& e, const lane_position& who) const {
    if (e.when == now_ && e.thread == who.thread) return true;
    if (e.when >= block_begin_ && e.when < now_) return true;
    return e.when == now_ ? known(e, who) : released(e, who);
  }

  /// Of the lanes of a warp that did something at one clock, those that did not do it before.
  std::uint32_t not_before(epoch when, unsigned warp, lane_clock clock, std::uint32_t lanes,
                           const lane_position& who) const;

  bool gone(const way& w, const lane_position& who) const;

  const releases& all_releases() const { return releases_; }

 private:
  using warp_matrix = std::array<warp_row, max_warp_lanes>;

  struct warp_state {
    bool used = false;
    std::uint32_t learners = 0;  ///< lanes with a lane_state that is not that of the block
    warp_matrix known{};         ///< known[l][m]: the clock up to which lane l knows lane m
  };

  /// What a lane has learnt since the last block barrier.
  struct lane_state {
    knowledge known;                   ///< but of its own warp, which is in warp_state
    std::array<knowledge, 2> fenced;   ///< by fence_scope: what its atomics release
    std::array<knowledge, 2> waiting;  ///< the same of other lanes, which its next fence acquires
    void clear();
    void join(const lane_state& more);
  };

  struct address_log {
    std::uint32_t length = 0;
    std::uint32_t released = 0;         ///< behind its last device-wide release
    epoch block = 0;                    ///< to which belongs:
    std::array<knowledge, 2> in_block;  ///< by fence_scope, released by lanes of the block
    log_prefixes device_wide;           ///< known to the device-wide releases so far
  };

  bool known(const event& e, const lane_position& who) const;
  bool released(const event& e, const lane_position& who) const;
  void tick(const lane_position& who);
  lane_state& learner(unsigned thread);
  void forget_lanes();
  void learn(const lane_position& who, const knowledge& more);
  knowledge all_known(const lane_position& who) const;
  void share(unsigned warp, std::uint32_t lanes);
  void acquire(const address_log& log, const log_prefix& prefix, lane_state& lane) const;
  void release(address_log& log, std::uint32_t index, const lane_state& lane, std::uint32_t id);

  std::vector<warp_state> warps_;
  std::vector<lane_state> lanes_;
  std::vector<std::uint16_t> learners_;  ///< threads of all warps' learners
  lane_state block_;                     ///< of all lanes at the last block barrier
  std::vector<address_log> logs_;
  std::unordered_map<meeting, knowledge> meetings_;  ///< of the running cluster
  releases releases_;
  bool any_fence_ = false;  ///< in this launch
  unsigned warp_lanes_ = max_warp_lanes;
  epoch now_ = 0;
  epoch block_begin_ = 0;
  epoch launch_begin_ = 0;
};

}  // namespace onefold::simt
