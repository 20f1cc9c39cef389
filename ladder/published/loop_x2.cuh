// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/loop-x2: unrolled by two, rewritten after a printed loop for one lane or for many. For
// teaching; no driver uses it.
//
// The test looks at the first of two neighbours only: an odd n runs one element past the end of
// all three arrays. The sums come out right all the same, which is why nobody notices; what is
// overwritten belongs to somebody else. And neighbours of one lane lie two apart for a warp: each
// request touches twice the sectors.

#include "simt/simt.hpp"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as loop/x2, for even n.
template <class T>
__global__ void loop_x2(const T* a, const T* b, std::size_t n, T* sums) {
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t lane = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;

  for (std::size_t at = 2 * lane; at < n; at += 2 * lanes) {
    sums[at] = a[at] + b[at];
    sums[at + 1] = a[at + 1] + b[at + 1];
  }
}

}  // namespace onefold::ladder::published
