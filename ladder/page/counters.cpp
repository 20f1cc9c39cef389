// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/counters.hpp"

#include <fmt/format.h>

namespace onefold::ladder {

namespace {

using h = hardware_counters;
using recorded_field = std::uint64_t h::*;

struct named_counter {
  std::string_view name;
  std::uint64_t executor;
  recorded_field hardware;
  bool shown;  ///< whether the rung moves it, or could have
};

std::vector<named_counter> all_counters(const simt::counts& c) {
  const bool loads = c.shared_load.requests != 0, stores = c.shared_store.requests != 0;
  const bool reads = c.global_load.requests != 0, writes = c.global_store.requests != 0;
  const bool atomics = c.global_atomic.requests != 0;
  return {
      {"shared load wavefronts", c.shared_load.wavefronts, &h::load_wavefronts, loads},
      {"shared load conflicts", c.shared_load.conflicts, &h::load_conflicts, loads},
      {"shared store wavefronts", c.shared_store.wavefronts, &h::store_wavefronts, stores},
      {"shared store conflicts", c.shared_store.conflicts, &h::store_conflicts, stores},
      {"global load requests", c.global_load.requests, &h::global_load_requests, reads},
      {"global load sectors", c.global_load.sectors, &h::global_load_sectors, reads},
      {"global store requests", c.global_store.requests, &h::global_store_requests, writes},
      {"global store sectors", c.global_store.sectors, &h::global_store_sectors, writes},
      {"global atomic requests", c.global_atomic.requests, &h::global_atomic_requests, atomics},
      {"global atomic sectors", c.global_atomic.sectors, &h::global_atomic_sectors, atomics},
      {"warps at barriers", c.barriers, nullptr, true},
      {"shuffles", c.shuffles, nullptr, c.shuffles != 0},
      {"fences", c.fences, nullptr, c.fences != 0},
      {"divergent branches", c.divergent_branches, &h::divergent_branches, true},
  };
}

}  // namespace

std::vector<counter_line> counter_lines(const simt::counts& c, const hardware_counters* hardware) {
  std::vector<counter_line> lines;
  for (const named_counter& one : all_counters(c)) {
    if (!one.shown) continue;
    std::optional<std::uint64_t> recorded;
    if (hardware != nullptr && one.hardware != nullptr) recorded = hardware->*one.hardware;
    lines.push_back({one.name, one.executor, recorded});
  }
  return lines;
}

std::vector<issue_line> issue_lines(const simt::block_counts& blocks,
                                    const hardware_counters* hardware) {
  const auto recorded = [hardware](auto number, const char* format) {
    return hardware == nullptr ? "-" : fmt::format(fmt::runtime(format), hardware->*number);
  };
  return {
      {"basic blocks of warps", fmt::format("{}", blocks.by_warps), "-"},
      {"lanes together in a basic block", fmt::format("{:.2f}", blocks.lanes_together()), "-"},
      {"instructions of warps", "-", recorded(&h::instructions, "{}")},
      {"active lanes of an instruction", "-", recorded(&h::active_lanes, "{:.2f}")},
      {"those not predicated off", "-", recorded(&h::lanes_not_predicated_off, "{:.2f}")},
  };
}

}  // namespace onefold::ladder
