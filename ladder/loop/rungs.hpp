// SPDX-License-Identifier: Apache-2.0
#pragma once
// One function per data file of this room, and the pieces that its claims share.

#include "ladder/rung/rungs.hpp"

namespace onefold::ladder {

/// Each lane has this many elements, and half as many in the rung before.
template <unsigned Items>
bool each_lane_has(const evidence& e) {
  const auto& options = e.current.options;
  const std::size_t lanes_before = std::size_t{e.previous->grid} * options.block;
  return options.n % (Items * std::size_t{options.block}) == 0 &&
         lanes_before * (Items / 2) == options.n;
}

bool half_the_lanes(const evidence& e);
std::string lanes(const evidence& e);
/// Of global memory, loads and stores.
bool fewer_requests(const evidence& e);
std::string requests(const evidence& e);
bool branches_diverge(const evidence& e);
std::string divergent_branches(const evidence& e);

rung loop_x1_rung();
rung loop_x2_rung();
rung loop_x4_rung();

}  // namespace onefold::ladder
