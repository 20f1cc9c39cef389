// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/conflict-free: the halves of the block are added onto each other.
//
// Neighbouring lanes work and touch neighbouring words, so whole warps drop out of a step instead
// of most lanes of every warp. The name is the document's, which takes the interleaved tree's bank
// conflicts for the cost; the counts find none in either tree. What is saved are requests: a step
// of distance s is worked by s / 32 warps and not by all of them.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], n >= 0; partials[grid]; block a power of two; one product a lane.
/// Order:  product i meets product i + s. Lane 0 writes the block's partial.
template <class T>
__global__ void dot_conflict_free(const T* a, const T* b, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  T value = sum<T>::identity;
  if (at < n) value = a[at] * b[at];
  items[tid] = value;
  __syncthreads();

  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
