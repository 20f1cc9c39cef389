// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/unrolled-global-index: reduce/unrolled with the defect it was printed with. For
// teaching; no driver uses it.
//
// The guards of the tree ask for the lane's place in the array, not in its block. In the first
// block they are the same number; every other block finds itself past all the guards and leaves
// its first element unfolded.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/unrolled.
template <class T, class Operator, unsigned Block>
__global__ void reduce_unrolled_global_index(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  if (at + Block < n) value = Operator::fold(value, in[at + Block]);
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(Block);
  unsigned s = Block / 2;
  for (; s > lanes; s /= 2) {
    if (at < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid >= lanes) return;
  for (; s > 0; s /= 2) {
    if (at < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncwarp(first_lanes(lanes));
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
