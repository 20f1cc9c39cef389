// SPDX-License-Identifier: Apache-2.0
#include "simt/branches.hpp"

#include <algorithm>
#include <utility>

namespace onefold::simt {

void branch_counter::launch_begins(const launch_view& launch) {
  divergent_ = 0;
  blocks_ = {};
  warp_lanes_ = launch.config.warp_lanes;
  warps_ = launch.warps;
  places_.resize(launch.threads);
  last_.resize(launch.threads);
  same_last_.resize(launch.warps);
}

void branch_counter::plant() {
  paths_used_ = 0;
  since_barrier_ = false;
  for (unsigned w = 0; w < warps_; ++w) new_path({});
  for (unsigned w = 0; w < warps_; ++w) {
    std::fill(places_.begin() + w * warp_lanes_, places_.begin() + end_of(w), place{w, 0});
  }
}

std::uint32_t branch_counter::new_path(place from) {
  if (paths_used_ == paths_.size()) paths_.emplace_back();
  path& fresh = paths_[paths_used_];
  fresh.blocks.assign(1, path_end);
  fresh.forks.clear();
  fresh.from = from;
  return static_cast<std::uint32_t>(paths_used_++);
}

void branch_counter::step(const lane_position& who, std::uintptr_t block_pc) {
  place& at = places_[who.thread];
  const std::uintptr_t expected = paths_[at.path].blocks[at.next];
  if (expected == path_end) {
    append(paths_[at.path].blocks, block_pc);
  } else if (expected != block_pc) {
    at = fork_off(at, block_pc);
  }
  ++at.next;
}

void branch_counter::append(trace& blocks, std::uintptr_t block_pc) {
  blocks.back() = block_pc;
  blocks.push_back(path_end);
}

branch_counter::place branch_counter::fork_off(place from, std::uintptr_t block_pc) {
  for (const fork& known : paths_[from.path].forks) {
    if (known.at == from.next && known.block == block_pc) return {known.path, 0};
  }
  const std::uint32_t fresh = new_path(from);
  append(paths_[fresh].blocks, block_pc);
  paths_[from.path].forks.push_back({block_pc, from.next, fresh});
  return {fresh, 0};
}

std::uintptr_t branch_counter::last_block(const place& at) const {
  return at.next == 0 ? ended : paths_[at.path].blocks[at.next - 1];
}

branch_counter::trace branch_counter::trace_to(place at) const {
  trace whole;
  while (true) {
    const path& p = paths_[at.path];
    whole.insert(whole.begin(), p.blocks.begin(), p.blocks.begin() + at.next);
    if (at.path < warps_) return whole;
    at = p.from;
  }
}

/// Without the block in which the lane came from the barrier: it was counted before.
std::uint64_t branch_counter::blocks_to(place at) const {
  const bool has_ended = last_block(at) == ended;
  std::uint64_t blocks = at.next;
  for (; at.path >= warps_; at = paths_[at.path].from) blocks += paths_[at.path].from.next;
  if (blocks == 0) return 0;
  return blocks - (has_ended ? 1 : 0) - (since_barrier_ ? 1 : 0);
}

void branch_counter::count() {
  for (unsigned w = 0; w < warps_; ++w) count_warp(w);
}

void branch_counter::count_warp(unsigned warp) {
  find_distinct(warp);
  for (unsigned t = warp * warp_lanes_; t < end_of(warp); ++t) {
    blocks_.by_lanes += blocks_to(places_[t]);
  }
  if (distinct_.size() == 1) {
    blocks_.by_warps += blocks_to(distinct_[0]);
  } else {
    find_divergent();
  }
}

void branch_counter::find_distinct(unsigned warp) {
  distinct_.assign(1, places_[warp * warp_lanes_]);
  for (unsigned t = warp * warp_lanes_, end = end_of(warp); t < end; ++t) {
    if (places_[t] == distinct_.back()) continue;
    if (std::find(distinct_.begin(), distinct_.end(), places_[t]) == distinct_.end()) {
      distinct_.push_back(places_[t]);
    }
  }
}

void branch_counter::find_divergent() {
  departures_.clear();
  visits_.clear();
  for (const place& at : distinct_) {
    trace went = trace_to(at);
    add_departures(went);
    add_visits(std::move(went));
  }
  std::sort(visits_.begin(), visits_.end());
  const auto last_visit = std::unique(visits_.begin(), visits_.end());
  blocks_.by_warps += static_cast<std::uint64_t>(last_visit - visits_.begin());
  std::sort(departures_.begin(), departures_.end());
  for (auto first = departures_.begin(); first != departures_.end();) {
    const auto last = std::find_if(first, departures_.end(), [first](const departure& d) {
      return d.block != first->block || d.time != first->time;
    });
    divergent_ += first->target != (last - 1)->target;
    first = last;
  }
}

void branch_counter::add_departures(const trace& went) {
  const std::size_t begin = departures_.size();
  for (std::size_t i = 0; i + 1 < went.size(); ++i) {
    departures_.push_back({went[i], i, went[i + 1]});
  }
  std::sort(departures_.begin() + static_cast<std::ptrdiff_t>(begin), departures_.end());
  // From the place in the trace to the number of times that the block has been left.
  for (std::size_t i = begin, time = 0; i < departures_.size(); ++i) {
    time = i != begin && departures_[i].block == departures_[i - 1].block ? time + 1 : 0;
    departures_[i].time = time;
  }
}

void branch_counter::add_visits(trace went) {
  if (!went.empty() && went.back() == ended) went.pop_back();
  if (!went.empty() && since_barrier_) went.erase(went.begin());
  std::sort(went.begin(), went.end());
  for (std::size_t i = 0, time = 0; i < went.size(); ++i) {
    time = i != 0 && went[i] == went[i - 1] ? time + 1 : 0;
    visits_.push_back({went[i], time});
  }
}

// A trace begins with the block the lane was in at the barrier, whose exit comes after it.
void branch_counter::count_and_restart() {
  for (unsigned w = 0; w < warps_; ++w) {
    count_warp(w);
    const std::uintptr_t last = last_block(distinct_[0]);
    same_last_[w] = std::all_of(distinct_.begin(), distinct_.end(),
                                [&](const place& at) { return last_block(at) == last; });
    last_[w * warp_lanes_] = last;
    if (same_last_[w]) continue;
    for (unsigned t = w * warp_lanes_; t < end_of(w); ++t) last_[t] = last_block(places_[t]);
  }
  plant();
  since_barrier_ = true;
  for (unsigned w = 0; w < warps_; ++w) restart(w);
}

void branch_counter::restart(unsigned warp) {
  const unsigned first = warp * warp_lanes_;
  if (!same_last_[warp]) {
    for (unsigned t = first; t < end_of(warp); ++t) {
      if (last_[t] != ended) step({static_cast<std::uint16_t>(t), 0, 0}, last_[t]);
    }
  } else if (last_[first] != ended) {
    append(paths_[warp].blocks, last_[first]);
    for (unsigned t = first; t < end_of(warp); ++t) places_[t].next = 1;
  }
}

}  // namespace onefold::simt
