// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/mask: reduce/modulo with the remainder taken by a mask.
//
// 2s is a power of two, so the remainder of a division by it is its low bits, which one
// instruction gives; the compiler cannot know that of a run-time s and divides. The same lanes
// work, on the same words, and the same warps diverge: what the next rung gains over
// reduce/modulo in one stroke is gained here in part, and this part has nothing to do with
// divergence.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; one element a lane.
/// Order:  elements are folded in their order. Lane 0 writes the block's partial.
template <class T, class Operator>
__global__ void reduce_mask(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  items[tid] = value;
  __syncthreads();

  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if ((tid & (2 * s - 1)) == 0) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
