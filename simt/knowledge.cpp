// SPDX-License-Identifier: Apache-2.0
#include "simt/knowledge.hpp"

#include <algorithm>

namespace onefold::simt {
namespace {

template <class Prefixes>
auto place_of(Prefixes& prefixes, std::uint32_t log) {
  return std::lower_bound(prefixes.begin(), prefixes.end(), log,
                          [](const log_prefix& p, std::uint32_t l) { return p.log < l; });
}

}  // namespace

void raise(warp_row& row, const warp_row& more) {
  for (unsigned lane = 0; lane < max_warp_lanes; ++lane) {
    row[lane] = std::max(row[lane], more[lane]);
  }
}

void frontier::clear() {
  when = 0;
  warps.clear();
}

void frontier::join(std::uint16_t warp, const warp_row& lanes) {
  const auto same = std::find_if(warps.begin(), warps.end(),
                                 [warp](const warp_clocks& w) { return w.warp == warp; });
  if (same == warps.end()) {
    warps.push_back({warp, lanes});
  } else {
    raise(same->lanes, lanes);
  }
}

void frontier::join(const frontier& more) {
  if (more.when < when) return;
  if (more.when > when) {
    *this = more;
    return;
  }
  for (const warp_clocks& w : more.warps) join(w.warp, w.lanes);
}

bool frontier::covers(std::uint16_t warp, unsigned lane, lane_clock clock) const {
  return std::any_of(warps.begin(), warps.end(),
                     [=](const warp_clocks& w) { return w.warp == warp && clock < w.lanes[lane]; });
}

void log_prefixes::join(const log_prefix& one) {
  const auto at = place_of(prefixes_, one.log);
  if (at == prefixes_.end() || at->log != one.log) {
    prefixes_.insert(at, one);
    return;
  }
  at->observed = std::max(at->observed, one.observed);
  at->released = std::max(at->released, one.released);
}

void log_prefixes::join(const log_prefixes& more) {
  for (const log_prefix& p : more.prefixes_) join(p);
}

log_prefix log_prefixes::prefix_of(std::uint32_t log) const {
  const auto at = place_of(prefixes_, log);
  return at == prefixes_.end() || at->log != log ? log_prefix{log, 0, 0} : *at;
}

void knowledge::clear() {
  block.clear();
  logs.clear();
  pending.clear();
}

void knowledge::join(const knowledge& more) {
  block.join(more.block);
  logs.join(more.logs);
  pending.join(more.pending);
}

}  // namespace onefold::simt
