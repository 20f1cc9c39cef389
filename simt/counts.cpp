// SPDX-License-Identifier: Apache-2.0
#include "simt/counts.hpp"

#include <algorithm>
#include <utility>

namespace onefold::simt {
namespace {

void add(shared_counts& total, const shared_cost& cost) {
  ++total.requests;
  total.wavefronts += cost.wavefronts;
  total.conflicts += cost.wavefronts - cost.phases;
  total.worst_ways = std::max(total.worst_ways, cost.ways);
}

void add(global_counts& total, const global_cost& cost) {
  ++total.requests;
  total.sectors += cost.sectors;
  total.lines += cost.lines;
}

}  // namespace

shared_counts& shared_counts::operator+=(const shared_counts& more) {
  requests += more.requests;
  wavefronts += more.wavefronts;
  conflicts += more.conflicts;
  worst_ways = std::max(worst_ways, more.worst_ways);
  return *this;
}

global_counts& global_counts::operator+=(const global_counts& more) {
  requests += more.requests;
  sectors += more.sectors;
  lines += more.lines;
  return *this;
}

counts& counts::operator+=(const counts& more) {
  shared_load += more.shared_load;
  shared_store += more.shared_store;
  global_load += more.global_load;
  global_store += more.global_store;
  divergent_branches += more.divergent_branches;
  barriers += more.barriers;
  global_atomic += more.global_atomic;
  shared_atomic += more.shared_atomic;
  shared_atomics += more.shared_atomics;
  shuffles += more.shuffles;
  votes += more.votes;
  matches += more.matches;
  reductions += more.reductions;
  syncwarps += more.syncwarps;
  fences += more.fences;
  element_operations += more.element_operations;
  element_operations_worst_lane =
      std::max(element_operations_worst_lane, more.element_operations_worst_lane);
  return *this;
}

block_counts& block_counts::operator+=(const block_counts& more) {
  by_warps += more.by_warps;
  by_lanes += more.by_lanes;
  return *this;
}

void request_counter::launch_begins(const launch_view& launch) {
  total_ = {};
  forget_fences();
  if (fences_.size() < launch.warps) fences_.resize(launch.warps);
}

void request_counter::forget_fences() {
  for (auto& warp : fences_) warp.forget();
}

void request_counter::barrier(const barrier_view& barrier) {
  total_.barriers += barrier.warps_waiting;
  if (barrier.alone) forget_fences();
}

void request_counter::fence(const lane_position& who, fence_scope, site_id site) {
  warp_fence& together = fences_[who.warp].join(site, who.lane);
  if (!std::exchange(together.counted, true)) ++total_.fences;
}

std::uint64_t& request_counter::counter_of(warp_word word) {
  switch (word) {
  case warp_word::shuffle:
  case warp_word::shuffle_up:
  case warp_word::shuffle_down:
  case warp_word::shuffle_xor:
    return total_.shuffles;
  case warp_word::ballot:
  case warp_word::any:
  case warp_word::all:
    return total_.votes;
  case warp_word::match:
    return total_.matches;
  case warp_word::synchronise:
    return total_.syncwarps;
  default:
    return total_.reductions;
  }
}

void request_counter::warp_operation(const warp_operation_view& operation) {
  ++counter_of(operation.word);
}

void request_counter::element_operations(const lane_position&, std::uint64_t count) {
  total_.element_operations += count;
  total_.element_operations_worst_lane = std::max(total_.element_operations_worst_lane, count);
}

void request_counter::request(const priced_request& priced) {
  const warp_request& request = priced.request;
  if (request.where == space::shared) {
    if (request.atomic) {
      add(total_.shared_atomic, priced.shared);
      ++total_.shared_atomics;
    } else {
      add(request.writes ? total_.shared_store : total_.shared_load, priced.shared);
    }
  } else if (request.atomic) {
    add(total_.global_atomic, priced.global);
  } else {
    add(request.writes ? total_.global_store : total_.global_load, priced.global);
  }
}

}  // namespace onefold::simt
