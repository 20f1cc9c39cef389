// SPDX-License-Identifier: Apache-2.0
#include "simt/branches.hpp"

#include <algorithm>
#include <utility>

namespace onefold::simt {
namespace {

/// Where the paths of a warp went when they left a block for the k-th time.
struct branch {
  std::uintptr_t target;
  bool diverges = false;
};

}  // namespace

void branch_counter::launch_begins(const launch_view& launch) {
  divergent_ = 0;
  warp_lanes_ = launch.config.warp_lanes;
  traces_.resize(launch.threads);
}

void branch_counter::block_begins(unsigned) {
  for (trace& t : traces_) t.clear();
}

void branch_counter::count_and_restart() {
  const auto threads = static_cast<unsigned>(traces_.size());
  for (unsigned first = 0; first < threads; first += warp_lanes_) {
    count_warp(first, std::min(first + warp_lanes_, threads));
  }
  for (trace& t : traces_) restart(t);
}

void branch_counter::find_paths(unsigned first, unsigned last) {
  paths_.clear();
  for (unsigned thread = first; thread < last; ++thread) {
    const trace& mine = traces_[thread];
    const bool known = std::any_of(paths_.begin(), paths_.end(),
                                   [&mine](const trace* path) { return *path == mine; });
    if (!known) paths_.push_back(&mine);
  }
}

void branch_counter::count_warp(unsigned first, unsigned last) {
  find_paths(first, last);
  if (paths_.size() < 2) return;
  std::map<std::pair<std::uintptr_t, unsigned>, branch> branches;
  for (const trace* path : paths_) {
    std::map<std::uintptr_t, unsigned> left;
    for (std::size_t i = 0; i + 1 < path->size(); ++i) {
      const std::uintptr_t source = (*path)[i];
      const std::uintptr_t target = (*path)[i + 1];
      branch& b = branches.try_emplace({source, left[source]++}, branch{target}).first->second;
      if (b.target != target && !std::exchange(b.diverges, true)) ++divergent_;
    }
  }
}

void branch_counter::restart(trace& t) {
  if (t.empty()) return;
  const std::uintptr_t last = t.back();
  t.clear();
  if (last != ended) t.push_back(last);
}

}  // namespace onefold::simt
