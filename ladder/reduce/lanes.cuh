// SPDX-License-Identifier: Apache-2.0
#pragma once
// The first warp of a block and its mask: a block smaller than a warp has fewer lanes, and a mask
// must not name a lane that does not exist.

#include "simt/simt.hpp"

namespace onefold::ladder {

/// Lanes of a full warp. For nvcc a number, because warpSize gets its value only in ptxas, after
/// loops have been unrolled; under the executor whatever warp the launch asks for.
#if defined(__CUDACC__)
static inline __device__ constexpr unsigned full_warp() {
  return 32;
}
#else
ONEFOLD_UNCOUNTED static inline unsigned full_warp() {
  return static_cast<unsigned>(warpSize);
}
#endif

/// Lanes of the first warp of a block.
ONEFOLD_UNCOUNTED static inline __device__ unsigned lanes_of_a_warp(unsigned block) {
  return min(block, full_warp());
}

/// The mask of lanes 0 .. count - 1, 1 <= count <= 32.
ONEFOLD_UNCOUNTED static inline __device__ unsigned first_lanes(unsigned count) {
  return ~0u >> (32 - count);
}

}  // namespace onefold::ladder
