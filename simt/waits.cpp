// SPDX-License-Identifier: Apache-2.0
// How lanes wait for each other: block barriers, warp operations, and waits that can never end.
#include "simt/executor.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace onefold::simt {

wait_sites all_waits;

namespace {

std::string lanes_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " lane waits at " : " lanes wait at ");
}

}  // namespace

/// Whether a block could go on.
bool executor::release_barriers() {
  bool any = false;
  for (unsigned rank = 0; rank < config_.cluster; ++rank) {
    if (!all_wait(rank)) continue;
    release_barrier(rank);
    any = true;
  }
  return any;
}

/// Whether all lanes of a block that have not ended wait at its barrier.
bool executor::all_wait(unsigned rank) const {
  if (config_.cluster == 1) return !any_in_warp_operation() && elsewhere_ == 0;
  const auto lanes = lanes_of(rank);
  return block_ended_[rank] < block_threads_ &&
         std::all_of(lanes.begin(), lanes.end(), [](const lane_state& lane) {
           return lane.state == progress::at_barrier || lane.state == progress::ended;
         });
}

void executor::release_barrier(unsigned rank) {
  check_barrier(rank);
  fold_predicates(rank);
  const unsigned warps = static_cast<unsigned>(warps_.size()) / config_.cluster;
  const barrier_view view{static_cast<unsigned>(first_block_) + rank,
                          interval_[rank],
                          warps_at_barrier(rank),
                          config_.cluster == 1,
                          rank * warps,
                          warps};
  for (observer* o : observers_) o->barrier(view);
  show_mbarriers(audience::block, 0, rank);
  ++interval_[rank];
  for (lane_state& lane : lanes_of(rank)) {
    if (lane.state == progress::at_barrier) {
      lane.state = progress::ready;
      ++ready_;
    }
    lane.steps_before += lane.steps;
    lane.steps = 0;
    lane.pause_at = steps_between_pauses;
  }
}

void executor::check_barrier(unsigned rank) {
  site_id first = no_site;
  for (const lane_state& lane : lanes_of(rank)) {
    if (lane.state != progress::at_barrier || lane.site == first) continue;
    if (first == no_site) {
      first = lane.site;
    } else if (std::string* detail = report(defect::divergent_barrier, first, lane.site)) {
      *detail = "lanes of one block wait at two different barriers";
    }
  }
  const std::uint64_t budget =
      config_.barrier_budget == 0 ? config_.step_budget : config_.barrier_budget;
  if (interval_[rank] + 1 >= budget) {
    if (std::string* detail = report_.add(defect::no_progress, first)) {
      *detail = "a block passed " + std::to_string(interval_[rank] + 1) + " barriers";
    }
    give_up();
  }
  if (block_ended_[rank] == 0) return;
  if (std::string* detail = report_.add(defect::divergent_barrier, first)) {
    *detail = std::to_string(block_ended_[rank]) + " of " + std::to_string(block_threads_) +
              " lanes of the block ended without coming here";
  }
}

void executor::fold_predicates(unsigned rank) {
  int count = 0, waiting = 0;
  for (const lane_state& lane : lanes_of(rank)) {
    if (lane.state != progress::at_barrier) continue;
    ++waiting;
    count += lane.predicate;
  }
  auto& fold = predicate_fold_[rank];
  fold[static_cast<std::size_t>(barrier_word::count)] = count;
  fold[static_cast<std::size_t>(barrier_word::all)] = count == waiting;
  fold[static_cast<std::size_t>(barrier_word::any)] = count != 0;
}

unsigned executor::warps_at_barrier(unsigned rank) const {
  unsigned warps = 0;
  unsigned counted = ~0u;  // lanes are in order of warps
  for (const lane_state& lane : lanes_of(rank)) {
    if (lane.state != progress::at_barrier || lane.position.warp == counted) continue;
    counted = lane.position.warp;
    ++warps;
  }
  return warps;
}

/// Whether the lane can go on at once.
bool executor::come_to_warp_operation(warp_call call, std::uintptr_t pc) {
  lane_state& lane = lanes_[running_];
  waiting_warp& warp = warps_[lane.position.warp];
  if (call.word == warp_word::synchronise && all_waits.leaves_out(pc, wait_kind::warp_barrier)) {
    return true;
  }
  lane.site = sites_.id_of(pc);
  call.mask &= warp.exists;
  if ((call.mask >> lane.position.lane & 1) == 0) {
    if (std::string* detail = report_.add(defect::warp_mask, lane.site)) {
      *detail = "the mask leaves out the lane that calls, lane " +
                std::to_string(lane.position.lane) + " of its warp";
    }
    warp.result[lane.position.lane] = config_.absent;
    return true;
  }
  warp.arrive(lane.position.lane, call, lane.site);
  lane.state = progress::in_warp_operation;
  --ready_;
  finish_complete_groups(lane.position.warp);
  return lane.state == progress::ready;
}

void executor::finish_complete_groups(unsigned warp) {
  auto& groups = warps_[warp].groups;
  for (std::size_t i = 0; i < groups.size();) {
    if (!warps_[warp].complete(groups[i])) {
      ++i;
      continue;
    }
    finish(warp, groups[i]);
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void executor::finish(unsigned warp, const warp_group& group) {
  waiting_warp& state = warps_[warp];
  report_masks(warp, group, state.compute(group, config_.warp_lanes, config_.absent));
  const auto first = static_cast<unsigned>(std::countr_zero(group.arrived));
  const warp_operation_view view{group.word, state.site[first], warp, group.arrived};
  for (observer* o : observers_) o->warp_operation(view);
  if (group.word == warp_word::synchronise) show_mbarriers(audience::warp, group.arrived, warp);
  for (std::uint32_t lanes = group.arrived; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    lanes_[warp * config_.warp_lanes + lane].state = progress::ready;
    ++ready_;
  }
}

void executor::report_masks(unsigned warp, const warp_group& group, std::uint32_t without_source) {
  const std::uint32_t ended = group.mask & ~group.arrived;
  if ((ended | without_source) == 0) return;
  for (unsigned lane = 0; lane < config_.warp_lanes; ++lane) {
    if ((group.arrived >> lane & 1) == 0) continue;
    const site_id site = warps_[warp].site[lane];
    std::string* detail = nullptr;
    if (ended != 0 && (detail = report_.add(defect::warp_mask, site)) != nullptr) {
      *detail = "the mask names lane " + std::to_string(std::countr_zero(ended)) +
                " of the warp, which has ended";
    } else if ((without_source >> lane & 1) != 0 &&
               (detail = report_.add(defect::warp_mask, site)) != nullptr) {
      *detail = "lane " + std::to_string(lane) + " of the warp reads from a lane outside the mask";
    }
  }
}

bool executor::any_in_warp_operation() const {
  return std::any_of(warps_.begin(), warps_.end(),
                     [](const waiting_warp& warp) { return !warp.groups.empty(); });
}

// Lanes that name each other under different masks explain a stall better than its list of lines.
void executor::report_stall() {
  if (!report_different_masks()) report_deadlock();
  give_up();
}

bool executor::report_different_masks() {
  bool found = false;
  for (const waiting_warp& warp : warps_) {
    for (const warp_group& a : warp.groups) {
      for (const warp_group& b : warp.groups) {
        if (a.mask == b.mask || !a.waits_for(b) || !b.waits_for(a)) continue;
        const auto first = static_cast<unsigned>(std::countr_zero(a.arrived));
        const auto second = static_cast<unsigned>(std::countr_zero(b.arrived));
        found = true;
        if (std::string* detail = report(defect::warp_mask, warp.site[first], warp.site[second])) {
          *detail = "lanes of one warp wait for each other with different masks";
        }
      }
    }
  }
  return found;
}

void executor::report_deadlock() {
  std::map<location, std::pair<site_id, unsigned>> waiting;
  for (const lane_state& lane : lanes_) {
    if (lane.state == progress::ended) continue;
    auto& [site, count] = waiting[locate(sites_.pc_of(lane.site))];
    site = lane.site;
    ++count;
  }
  const site_id first = waiting.begin()->second.first;
  const site_id last = waiting.rbegin()->second.first;
  std::string* detail = report_.add(defect::deadlock, first, last == first ? no_site : last);
  if (detail == nullptr) return;
  *detail = "no lane of the block can go on:";
  const char* separator = " ";
  for (const auto& [place, waits] : waiting) {
    *detail += separator + lanes_text(waits.second) + to_string(place);
    separator = ", ";
  }
}

}  // namespace onefold::simt
