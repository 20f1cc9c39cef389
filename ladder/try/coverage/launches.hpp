// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which launches show whether a kernel is right: lengths, blocks, orders and elements, pair by pair
// instead of all with all.

#include "ladder/try/launch/trials.hpp"

namespace onefold::ladder::learner {

struct launch_request {
  const geometry& shape;
  const geometry_request& sizes;
  std::vector<simt::schedule> orders;
  std::vector<unsigned> blocks;     ///< besides the shape's own
  std::vector<input_kind> special;  ///< besides the usual elements
  bool may_interleave = true;       ///< blocks may run at the same time
  bool strides_by_grid = false;     ///< fewer blocks are enough
};

/// From short to long. The first of the full shape has the elements that are counted.
std::vector<trial_launch> launches_of(const launch_request& request);

}  // namespace onefold::ladder::learner
