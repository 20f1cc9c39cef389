// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/last-warp: the last steps are one warp's own affair.
//
// As soon as one warp is left to work, the others need not be waited for, and __syncwarp takes the
// barrier's place. It has to be there: lanes of a warp advance on their own since Volta, and
// nothing else orders a lane's store before its neighbour's load. The test of each step stays too:
// without it a lane would overwrite what another still reads.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], n >= 0; partials[grid]; Block lanes, a power of two; one product a lane.
/// Order:  product i meets product i + s. Lane 0 writes the block's partial.
template <class T, unsigned Block>
__global__ void dot_last_warp(const T* a, const T* b, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * Block + tid;
  T value = sum<T>::identity;
  if (at < n) value = a[at] * b[at];
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(Block);
  unsigned s = Block / 2;
  for (; s > lanes; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid >= lanes) return;
  for (; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncwarp(first_lanes(lanes));
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
