// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/strided: the same tree, worked by neighbouring lanes.
//
// Lane t takes over the pair that lane 2st had in reduce/modulo, so the working lanes fill whole
// warps and the other warps skip the step without diverging. The elements that one warp touches
// now lie 2s words apart, and for 2s >= 2 several of them share a bank: the lanes are gathered,
// the addresses are not, which is what the next rung repairs.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; one element a lane.
/// Order:  elements are folded in their order. Lane 0 writes the block's partial.
template <class T, class Operator>
__global__ void reduce_strided(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  items[tid] = value;
  __syncthreads();

  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned left = 2 * s * tid;
    if (left < blockDim.x) items[left] = Operator::fold(items[left], items[left + s]);
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
