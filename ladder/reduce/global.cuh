// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/global: a tree over each block's elements, in global memory.
//
// Neighbours are folded first, then neighbouring pairs, and so on: log2 B steps instead of B
// updates in a line, with a barrier before each step reads what the last one wrote. The tree
// overwrites its elements, so it works on a copy. Every operand of every step travels through
// global memory, which is what the next rung repairs.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; items[n], what it held is lost; partials[grid]; block a power of two;
///         one element a lane.
/// Order:  elements are folded in their order. Lane 0 writes the block's partial.
template <class T, class Operator>
__global__ void reduce_global(const T* in, std::size_t n, T* items, T* partials) {
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  if (at < n) items[at] = in[at];
  __syncthreads();

  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0 && at + s < n) items[at] = Operator::fold(items[at], items[at + s]);
    __syncthreads();
  }

  if (tid != 0) return;
  T value = Operator::identity;
  if (at < n) value = items[at];
  partials[blockIdx.x] = value;
}

}  // namespace onefold::ladder
