// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/block_recorder.hpp"

#include "simt/arena.hpp"
#include "simt/memory_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace onefold::ladder {
namespace {

constexpr unsigned warps_with_addresses = 4;

unsigned ideal_sectors(const simt::lane_addresses& addresses) {
  const unsigned bytes =
      static_cast<unsigned>(std::popcount(addresses.lanes)) * addresses.size_bytes;
  return (bytes + simt::sector_bytes - 1) / simt::sector_bytes;
}

std::size_t lowest_offset(const simt::lane_addresses& addresses) {
  std::size_t lowest = ~std::size_t{0};
  for (unsigned lane = 0; lane < simt::max_warp_lanes; ++lane) {
    if ((addresses.lanes >> lane & 1) != 0)
      lowest = std::min<std::size_t>(lowest, addresses.offset[lane]);
  }
  return lowest;
}

void count_from(simt::lane_addresses& addresses, std::size_t origin) {
  for (unsigned lane = 0; lane < simt::max_warp_lanes; ++lane) {
    if ((addresses.lanes >> lane & 1) != 0) addresses.offset[lane] -= origin;
  }
}

}  // namespace

void block_recorder::launch_begins(const simt::launch_view& launch) {
  memory_ = &launch.memory;
  if (++launches_ > 1) return;
  threads_ = launch.threads;
  warp_lanes_ = launch.config.warp_lanes;
}

void block_recorder::request(const simt::priced_request& priced) {
  if (launches_ != 1 || priced.block != 0) return;
  const step_key step = step_of(priced);
  const simt::warp_request& request = priced.request;
  if (request.writes) {
    step_record& record = record_of(step);
    record.into_shared |= request.where == simt::space::shared;
    for (unsigned lane = 0; lane < warp_lanes_; ++lane) {
      if ((request.addresses.lanes >> lane & 1) == 0) continue;
      record.line.working[request.warp * warp_lanes_ + lane] = true;
    }
  }
  if (request.where == simt::space::shared) {
    note_shared(priced, step);
  } else {
    note_global(priced, step);
  }
}

// A warp hands its requests over instruction by instruction; what it loads after a store belongs to
// its next step.
block_recorder::step_key block_recorder::step_of(const simt::priced_request& priced) {
  warp_progress& progress = progress_[priced.request.warp];
  if (progress.interval != priced.interval) progress = {priced.interval, 0, false};
  if (!priced.request.writes && progress.stored) ++progress.step;
  progress.stored = priced.request.writes;
  return {priced.interval, progress.step};
}

block_recorder::step_record& block_recorder::record_of(step_key step) {
  const auto [at, fresh] = steps_.try_emplace(step);
  if (fresh) at->second.line.working.resize(threads_);
  return at->second;
}

block_recorder::candidate block_recorder::drawn(const simt::priced_request& priced,
                                                step_key step) const {
  const simt::warp_request& request = priced.request;
  candidate c{{}, step, request.pc, lowest_offset(request.addresses)};
  c.request.where = request.where;
  c.request.writes = request.writes;
  c.request.warp = request.warp;
  c.request.addresses = request.addresses;
  c.request.shared = priced.shared;
  c.request.global = priced.global;
  if (request.where == simt::space::global) {
    c.request.ideal_sectors = ideal_sectors(request.addresses);
  }
  count_from(c.request.addresses, origin_of(c));
  return c;
}

std::size_t block_recorder::origin_of(candidate& c) const {
  if (c.request.where == simt::space::global) {
    const simt::buffer* buffer = memory_->nearest(c.lowest);
    if (buffer != nullptr && buffer->offset <= c.lowest) {
      c.request.buffer = buffer->name;
      return buffer->offset;
    }
  }
  return c.lowest / simt::line_bytes * simt::line_bytes;
}

// Among equals the earliest step, then the lowest warp, then reads, then the lowest address: the
// same for every schedule, and whichever operand a compiler reads first.
void block_recorder::note_shared(const simt::priced_request& priced, step_key step) {
  lane_step& line = record_of(step).line;
  line.ways = std::max(line.ways, priced.shared.ways);
  if (!priced.request.writes) {
    line.wavefronts += priced.shared.wavefronts;
    line.ideal += priced.shared.phases;
  }
  const auto rank = [](const candidate& c) {
    return std::tuple(-static_cast<int>(c.request.shared.ways), c.step, c.request.warp,
                      c.request.writes, c.lowest);
  };
  candidate request = drawn(priced, step);
  if (!worst_shared_ || rank(request) < rank(*worst_shared_)) worst_shared_ = std::move(request);
}

void block_recorder::note_global(const simt::priced_request& priced, step_key step) {
  const auto rank = [](const candidate& c) {
    return std::tuple(-c.request.sectors_over_ideal(), c.step, c.request.warp, c.request.writes,
                      c.lowest);
  };
  candidate request = drawn(priced, step);
  note_first(request);
  if (!worst_global_ || rank(request) < rank(*worst_global_)) worst_global_ = std::move(request);
}

// The order in which one step's requests come is the compiler's: the lowest address is first.
void block_recorder::note_first(const candidate& request) {
  if (request.request.warp >= warps_with_addresses) return;
  const auto [known, fresh] =
      firsts_.try_emplace({request.request.writes, request.request.warp}, request);
  const candidate& first = known->second;
  if (!fresh && std::tie(request.step, request.lowest) < std::tie(first.step, first.lowest)) {
    known->second = request;
  }
}

// The first step of a tree loads what the tree is made of; a step that only leaves results behind
// stores. The steps between are numbered, and a tree's number gives its distance.
void block_recorder::name_steps() {
  std::erase_if(steps_, [](const auto& entry) {
    return std::ranges::none_of(entry.second.line.working, std::identity{});
  });
  const bool shared =
      std::ranges::any_of(steps_, [](const auto& entry) { return entry.second.into_shared; });
  unsigned number = shared || rung_.distance != nullptr ? 0 : 1;
  for (auto& [key, record] : steps_) {
    const unsigned distance =
        rung_.distance == nullptr || number == 0 ? 0 : rung_.distance(number, threads_);
    const bool beyond =
        rung_.distance != nullptr && number != 0 && (distance == 0 || distance >= threads_);
    const bool leaves = !record.into_shared && (shared || steps_.size() == 1);
    if (leaves || beyond) {
      record.line.name = "store";
      continue;
    }
    record.line.name = number == 0 ? "load" : fmt::format("{}", number);
    if (distance != 0) record.line.distance = distance;
    ++number;
  }
}

drawn_request block_recorder::named(const candidate& c) const {
  drawn_request request = c.request;
  const auto step = steps_.lower_bound(c.step);
  request.step = step == steps_.end() ? "" : step->second.line.name;
  request.place = simt::locate(c.pc);
  return request;
}

block_drawing block_recorder::drawing() {
  name_steps();
  block_drawing result;
  for (const auto& [key, record] : steps_) result.steps.push_back(record.line);
  if (worst_shared_) result.worst_shared = named(*worst_shared_);
  if (worst_global_) result.worst_global = named(*worst_global_);
  for (const auto& [who, c] : firsts_) {
    (c.request.writes ? result.first_stores : result.first_loads).push_back(named(c));
  }
  return result;
}

}  // namespace onefold::ladder
