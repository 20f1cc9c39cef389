// SPDX-License-Identifier: Apache-2.0
#pragma once
// loop/x2: two elements a round.
//
// Half as many steps and tests; and four loads are on their way before the first addition waits
// for one. The second element is not the neighbour, which would spread a warp's request over twice
// the sectors (published/loop-x2), but the one a round further on. A round needs both: what is
// left over is one element at most.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], sums[n], n >= 0, sums apart from both; any block, any grid.
template <class T>
__global__ void loop_x2(const T* a, const T* b, std::size_t n, T* sums) {
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;

  for (; at + lanes < n; at += 2 * lanes) {
    // All loads before a store: the compiler may not move one over a store that might alias it.
    const T first = a[at] + b[at];
    const T second = a[at + lanes] + b[at + lanes];
    sums[at] = first;
    sums[at + lanes] = second;
  }

  if (at < n) sums[at] = a[at] + b[at];
}

}  // namespace onefold::ladder
