// SPDX-License-Identifier: Apache-2.0
#pragma once
// Finds the lanes of one warp that execute one instruction together.
//
// Lanes run one after the other, so "together" is rebuilt: lanes belong to one group when they
// execute the same site for the k-th time since the last block barrier. No log and no
// reconvergence stack is needed, and loops and early exits come out right because every barrier
// starts all counts anew. O(1) for each execution.

#include "simt/launch.hpp"

#include <array>
#include <vector>

namespace onefold::simt {

template <class Group>
class warp_groups {
 public:
  /// The group that this execution belongs to; a new one is default-constructed.
  Group& join(std::size_t key, unsigned lane) {
    if (key >= slots_.size()) slots_.resize(key + 1);
    slot& s = slots_[key];
    if (s.groups.empty()) touched_.push_back(key);
    const std::uint32_t k = s.executed[lane]++;
    if (k == s.groups.size()) s.groups.emplace_back();
    return s.groups[k];
  }

  /// Hands every group to `use`, sites in order of first execution, and forgets them.
  template <class Use>
  void drain(Use&& use) {
    for (const std::size_t key : touched_) {
      for (const Group& g : slots_[key].groups) use(g);
      slots_[key].groups.clear();
      slots_[key].executed.fill(0);
    }
    touched_.clear();
  }

  void forget() {
    drain([](const Group&) {});
  }

 private:
  struct slot {
    std::array<std::uint32_t, max_warp_lanes> executed{};
    std::vector<Group> groups;
  };

  std::vector<slot> slots_;
  std::vector<std::size_t> touched_;
};

}  // namespace onefold::simt
