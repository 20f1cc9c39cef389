// SPDX-License-Identifier: Apache-2.0
#include "simt/releases.hpp"

namespace onefold::simt {

void releases::clear() {
  records_.clear();
  runs_.clear();
}

void releases::add(std::uint32_t log, std::uint32_t index, epoch block, const frontier& covered) {
  const auto first_run = static_cast<std::uint32_t>(runs_.size());
  for (const frontier::warp_clocks& warp : covered.warps) {
    for (unsigned lane = 0; lane < warp_lanes_; ++lane) {
      append_run(first_run, static_cast<std::uint16_t>(warp.warp * warp_lanes_ + lane),
                 warp.lanes[lane]);
    }
  }
  const auto runs = static_cast<std::uint32_t>(runs_.size()) - first_run;
  records_.push_back({block, covered.when, first_run, runs, log, index});
}

void releases::append_run(std::uint32_t first_run, std::uint16_t thread, lane_clock clock) {
  if (clock == 0) return;
  const bool first = runs_.size() == first_run;
  if (!first && runs_.back().clock == clock && runs_.back().last + 1 == thread) {
    runs_.back().last = thread;
  } else {
    runs_.push_back({thread, thread, clock});
  }
}

std::pair<releases::record_at, releases::record_at> releases::of_block(epoch when) const {
  const auto last = std::upper_bound(records_.begin(), records_.end(), when,
                                     [](epoch at, const record& r) { return at < r.block; });
  if (last == records_.begin()) return {last, last};
  const auto first = std::lower_bound(records_.begin(), last, (last - 1)->block,
                                      [](const record& r, epoch block) { return r.block < block; });
  return {first, last};
}

// of_block() gives the last block that began before the event; without releases by the event's own
// block that is an earlier one, all of whose frontiers lie before the event.
bool releases::covers(const record& r, const event& e) const {
  if (e.when != r.when) return e.when < r.when;
  const auto first = runs_.begin() + r.first_run;
  return std::any_of(first, first + r.runs, [&e](const clock_run& run) {
    return run.first <= e.thread && e.thread <= run.last && e.clock < run.clock;
  });
}

std::vector<way> releases::ways_after(const event& e) const {
  std::vector<way> ways;
  reached(e, [&ways](const way& found) {
    const bool later = std::any_of(ways.begin(), ways.end(),
                                   [&found](const way& w) { return w.log == found.log; });
    if (!later) ways.push_back(found);
    return false;
  });
  return ways;
}

}  // namespace onefold::simt
