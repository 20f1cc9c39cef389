// SPDX-License-Identifier: Apache-2.0
#pragma once
// loop/x1: one element a round.
//
// The vector add that a loop is unrolled in. A lane starts at its own number and steps by the
// number of all lanes, so the lanes of a warp touch neighbours in every round. A grid of one lane
// runs the loop that a CPU would. Each round pays for a step and a test beside two loads, an
// addition and a store.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], sums[n], n >= 0; any block, any grid.
template <class T>
__global__ void loop_x1(const T* a, const T* b, std::size_t n, T* sums) {
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;

  for (; at < n; at += lanes) sums[at] = a[at] + b[at];
}

}  // namespace onefold::ladder
