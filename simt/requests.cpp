// SPDX-License-Identifier: Apache-2.0
#include "simt/requests.hpp"

namespace onefold::simt {
namespace {

// One instruction may reach both memories through a generic pointer: two requests then.
std::size_t key_of(const memory_access& access) {
  return std::size_t{access.site} * 2 + (access.where == space::shared);
}

priced_request price(const warp_request& request, unsigned block, unsigned interval) {
  if (request.where == space::shared) {
    const shared_cost cost = request.atomic ? cost_of_shared_atomics(request.addresses)
                                            : cost_in_shared_memory(request.addresses);
    return {request, block, interval, cost, {}};
  }
  return {request, block, interval, {}, cost_in_global_memory(request.addresses)};
}

}  // namespace

void request_grouping::launch_begins(const launch_view& launch) {
  sites_ = &launch.sites;
  if (warps_.size() < launch.warps) warps_.resize(launch.warps);
  for (auto& warp : warps_) warp.forget();
}

void request_grouping::access(const memory_access& access) {
  if (lands(access.copy)) return;
  warp_request& request = warps_[access.who.warp].join(key_of(access), access.who.lane);
  if (request.addresses.lanes == 0) {
    request.where = access.where;
    request.writes = access.writes;
    request.atomic = access.atomic;
    request.pc = sites_->pc_of(access.site);
    request.warp = access.who.warp;
    request.addresses.size_bytes = access.size_bytes;
  }
  request.addresses.lanes |= 1u << access.who.lane;
  request.addresses.offset[access.who.lane] = static_cast<std::uint32_t>(access.offset);
}

void request_grouping::barrier(const barrier_view& barrier) {
  if (!barrier.alone) return;
  hand_over(barrier.block);
  interval_ = barrier.interval + 1;
}

void request_grouping::hand_over(unsigned block) {
  for (auto& warp : warps_) {
    warp.drain([&](const warp_request& request) {
      const priced_request priced = price(request, block, interval_);
      for (request_listener* listener : listeners_) listener->request(priced);
    });
  }
}

}  // namespace onefold::simt
