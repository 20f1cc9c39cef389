// SPDX-License-Identifier: Apache-2.0
#include "simt/order.hpp"

#include <bit>

namespace onefold::simt {
namespace {

constexpr auto in_block = static_cast<std::size_t>(fence_scope::block);
constexpr auto device_wide = static_cast<std::size_t>(fence_scope::device);

template <class Use>
void for_each_lane(std::uint32_t lanes, Use&& use) {
  for (; lanes != 0; lanes &= lanes - 1) use(static_cast<unsigned>(std::countr_zero(lanes)));
}

/// Every lane of the set gets the maximum of their rows.
template <class Matrix>
void join_rows(Matrix& rows, std::uint32_t lanes) {
  auto joined = rows[static_cast<unsigned>(std::countr_zero(lanes))];
  for_each_lane(lanes, [&](unsigned lane) { raise(joined, rows[lane]); });
  for_each_lane(lanes, [&](unsigned lane) { rows[lane] = joined; });
}

}  // namespace

void happens_before::lane_state::clear() {
  known.clear();
  for (knowledge& k : fenced) k.clear();
  for (knowledge& k : waiting) k.clear();
}

void happens_before::lane_state::join(const lane_state& more) {
  known.join(more.known);
  for (std::size_t scope = 0; scope < fenced.size(); ++scope) {
    fenced[scope].join(more.fenced[scope]);
    waiting[scope].join(more.waiting[scope]);
  }
}

void happens_before::launch_begins(const launch_view& launch) {
  warp_lanes_ = launch.config.warp_lanes;
  warps_.assign(launch.warps, {});
  lanes_.assign(launch.threads, {});
  learners_.clear();
  logs_.clear();
  releases_.clear();
  releases_.set_warp_lanes(warp_lanes_);
  any_fence_ = false;
  launch_begin_ = now_ + 1;
}

void happens_before::block_begins() {
  forget_lanes();
  meetings_.clear();
  block_.clear();
  block_begin_ = ++now_;
}

void happens_before::barrier() {
  for (const std::uint16_t thread : learners_) block_.join(lanes_[thread]);
  // The frontiers lie before the barrier, and so does all that fences of the block would acquire
  // from each other.
  block_.known.block.clear();
  for (knowledge& k : block_.waiting) k.clear();
  forget_lanes();
  ++now_;
}

void happens_before::forget_lanes() {
  for (const std::uint16_t thread : learners_) lanes_[thread].clear();
  learners_.clear();
  for (warp_state& warp : warps_) {
    if (warp.used) warp = {};
  }
}

happens_before::lane_state& happens_before::learner(unsigned thread) {
  warp_state& warp = warps_[thread / warp_lanes_];
  const std::uint32_t bit = 1u << thread % warp_lanes_;
  if ((warp.learners & bit) == 0) {
    warp.used = true;
    warp.learners |= bit;
    learners_.push_back(static_cast<std::uint16_t>(thread));
    lanes_[thread].known.block.when = now_;
    lanes_[thread].fenced = block_.fenced;
  }
  return lanes_[thread];
}

void happens_before::tick(const lane_position& who) {
  warps_[who.warp].used = true;
  ++warps_[who.warp].known[who.lane][who.lane];
}

void happens_before::warp_barrier(unsigned warp, std::uint32_t lanes) {
  for_each_lane(lanes, [&](unsigned lane) {
    tick({0, static_cast<std::uint16_t>(warp), static_cast<std::uint16_t>(lane)});
  });
  join_rows(warps_[warp].known, lanes);
  if ((warps_[warp].learners & lanes) != 0) share(warp, lanes);
}

void happens_before::share(unsigned warp, std::uint32_t lanes) {
  lane_state all;
  for_each_lane(lanes, [&](unsigned lane) { all.join(learner(warp * warp_lanes_ + lane)); });
  for_each_lane(lanes, [&](unsigned lane) { lanes_[warp * warp_lanes_ + lane] = all; });
}

void happens_before::learn(const lane_position& who, const knowledge& more) {
  knowledge& own = lanes_[who.thread].known;
  if (more.block.when == now_) {
    for (const frontier::warp_clocks& other : more.block.warps) {
      if (other.warp == who.warp) {
        raise(warps_[who.warp].known[who.lane], other.lanes);
      } else {
        own.block.join(other.warp, other.lanes);
      }
    }
  }
  own.logs.join(more.logs);
  own.pending.join(more.pending);
}

knowledge happens_before::all_known(const lane_position& who) const {
  knowledge all = block_.known;
  all.join(lanes_[who.thread].known);
  all.block.join(who.warp, warps_[who.warp].known[who.lane]);
  return all;
}

void happens_before::fence(const lane_position& who, fence_scope scope) {
  any_fence_ = true;
  lane_state& lane = learner(who.thread);
  tick(who);
  learn(who, lane.waiting[in_block]);
  if (scope == fence_scope::device) {
    lane.known.logs.join(lane.known.pending);
    lane.known.logs.join(block_.known.pending);
  }
  lane.fenced[in_block] = all_known(who);
  if (scope == fence_scope::device) {
    lane.fenced[device_wide] = lane.fenced[in_block];
  } else {
    lane.fenced[device_wide].join(lane.waiting[device_wide]);
  }
  for (knowledge& k : lane.waiting) k.clear();
}

void happens_before::release(const lane_position& who, meeting at) {
  learner(who.thread);
  tick(who);
  meetings_[at].join(all_known(who));
}

void happens_before::acquire(const lane_position& who, meeting at) {
  const auto found = meetings_.find(at);
  if (found == meetings_.end()) return;
  learner(who.thread);
  learn(who, found->second);
}

void happens_before::barrier(unsigned first_warp, unsigned warps) {
  const auto for_each = [&](auto&& use) {
    for (unsigned thread = first_warp * warp_lanes_; thread < (first_warp + warps) * warp_lanes_;
         ++thread) {
      use(lane_position{static_cast<std::uint16_t>(thread),
                        static_cast<std::uint16_t>(thread / warp_lanes_),
                        static_cast<std::uint16_t>(thread % warp_lanes_)});
    }
  };
  lane_state all;
  for_each([&](const lane_position& who) {
    const lane_state& lane = learner(who.thread);
    tick(who);
    all.join(lane);
    all.known.join(all_known(who));
  });
  // A fence behind the barrier acquires what any lane's atomic before it has seen.
  for_each([&](const lane_position& who) {
    learn(who, all.known);
    for (std::size_t scope = 0; scope < all.fenced.size(); ++scope) {
      lanes_[who.thread].fenced[scope].join(all.fenced[scope]);
      lanes_[who.thread].waiting[scope].join(all.waiting[scope]);
    }
  });
}

std::uint32_t happens_before::atomic(const lane_position& who, std::uint32_t& log) {
  if (log == releases::no_log) {
    log = static_cast<std::uint32_t>(logs_.size());
    logs_.emplace_back();
  }
  address_log& all = logs_[log];
  lane_state& lane = learner(who.thread);
  const std::uint32_t index = all.length++;
  lane.known.logs.join({log, index, 0});
  if (any_fence_) {
    acquire(all, {log, index, all.released}, lane);
    release(all, index, lane, log);
  }
  return index;
}

void happens_before::acquire(const address_log& log, const log_prefix& prefix,
                             lane_state& lane) const {
  lane.known.pending.join(log.device_wide);
  if (prefix.released != 0) lane.known.pending.join(prefix);
  if (log.block != block_begin_) return;
  for (std::size_t scope = 0; scope < lane.waiting.size(); ++scope) {
    lane.waiting[scope].join(log.in_block[scope]);
  }
}

void happens_before::release(address_log& log, std::uint32_t index, const lane_state& lane,
                             std::uint32_t id) {
  if (lane.fenced[in_block].empty()) return;
  if (log.block != block_begin_) {
    log.block = block_begin_;
    for (knowledge& k : log.in_block) k.clear();
  }
  for (std::size_t scope = 0; scope < lane.fenced.size(); ++scope) {
    log.in_block[scope].join(lane.fenced[scope]);
  }
  const knowledge& covered = lane.fenced[device_wide];
  if (covered.empty()) return;
  releases_.add(id, index, block_begin_, covered.block);
  log.device_wide.join(covered.logs);
  log.released = index + 1;
}

bool happens_before::known(const event& e, const lane_position& who) const {
  const auto warp = static_cast<std::uint16_t>(e.thread / warp_lanes_);
  const unsigned lane = e.thread % warp_lanes_;
  if (warp == who.warp) return warps_[warp].known[who.lane][lane] > e.clock;
  return lanes_[who.thread].known.block.covers(warp, lane, e.clock);
}

bool happens_before::released(const event& e, const lane_position& who) const {
  return releases_.reached(e, [&](const way& w) { return gone(w, who); });
}

bool happens_before::gone(const way& w, const lane_position& who) const {
  const auto far_enough = [&w](const log_prefix& p) {
    return (w.observed ? p.observed : p.released) > w.index;
  };
  return far_enough(block_.known.logs.prefix_of(w.log)) ||
         far_enough(lanes_[who.thread].known.logs.prefix_of(w.log));
}

std::uint32_t happens_before::not_before(epoch when, unsigned warp, lane_clock clock,
                                         std::uint32_t lanes, const lane_position& who) const {
  if (when >= block_begin_ && when < now_) return 0;
  std::uint32_t left = lanes;
  for_each_lane(lanes, [&](unsigned lane) {
    const event e{when, static_cast<std::uint16_t>(warp * warp_lanes_ + lane), clock};
    if (before(e, who)) left &= ~(1u << lane);
  });
  return left;
}

}  // namespace onefold::simt
