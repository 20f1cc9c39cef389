// SPDX-License-Identifier: Apache-2.0
#pragma once
// loop/x4: four elements a round.
//
// A quarter of the steps and tests, and eight loads on their way. Up to three elements are left
// over, so the rest is a loop again, the one that was unrolled. Every doubling saves half of what
// the last one left and costs as many registers again.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], sums[n], n >= 0, sums apart from both; any block, any grid.
template <class T>
__global__ void loop_x4(const T* a, const T* b, std::size_t n, T* sums) {
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;

  for (; at + 3 * lanes < n; at += 4 * lanes) {
    // All loads before a store, as in loop/x2.
    const T first = a[at] + b[at];
    const T second = a[at + lanes] + b[at + lanes];
    const T third = a[at + 2 * lanes] + b[at + 2 * lanes];
    const T fourth = a[at + 3 * lanes] + b[at + 3 * lanes];
    sums[at] = first;
    sums[at + lanes] = second;
    sums[at + 2 * lanes] = third;
    sums[at + 3 * lanes] = fourth;
  }

  for (; at < n; at += lanes) sums[at] = a[at] + b[at];
}

}  // namespace onefold::ladder
