// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/counters.hpp"

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

}  // namespace onefold::ladder
