// SPDX-License-Identifier: Apache-2.0
#pragma once
// The warp operations that lanes of one warp wait in, and what an operation gives each lane.

#include "simt/lane_calls.hpp"
#include "simt/launch.hpp"
#include "simt/sites.hpp"

#include <array>
#include <vector>

namespace onefold::simt {

/// Lanes that wait together: the same word with the same mask.
struct warp_group {
  warp_word word;
  std::uint32_t mask;
  std::uint32_t arrived = 0;

  bool waits_for(const warp_group& other) const { return (mask & other.arrived) != 0; }
};

struct waiting_warp {
  std::uint32_t exists = 0;  ///< lanes that the block has
  std::uint32_t live = 0;    ///< of these, the lanes that have not ended
  std::array<warp_call, max_warp_lanes> call;
  std::array<site_id, max_warp_lanes> site;
  std::array<std::uint64_t, max_warp_lanes> result;
  std::vector<warp_group> groups;

  void arrive(unsigned lane, const warp_call& made, site_id where);
  bool complete(const warp_group& group) const { return (group.mask & live & ~group.arrived) == 0; }
  /// Fills the results of the group's lanes; returns the lanes of which no value could be had: a
  /// shuffle's source outside the group, whose value is `absent`.
  std::uint32_t compute(const warp_group& group, unsigned warp_lanes, std::uint64_t absent);

 private:
  std::uint32_t compute_shuffles(const warp_group& group, unsigned warp_lanes,
                                 std::uint64_t absent);
  std::uint32_t lanes_with(const warp_group& group, std::uint64_t value) const;
  std::uint64_t folded(const warp_group& group) const;
};

}  // namespace onefold::simt
