// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/unrolled: the block's size is known when the kernel is compiled.
//
// Then so is every distance of the tree: the compiler writes the steps out one after another and
// the loop's counter, comparison and jump are gone. The price is a kernel for each size, and a
// switch on the host to pick one. No access to memory changes.

#include "ladder/operators.cuh"
#include "ladder/reduce/lanes.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; Block, a power of two, is the block launched; two
///         elements a lane.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator, unsigned Block>
__global__ void reduce_unrolled(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid;
  T mine = Operator::identity;
  if (at < n) mine = in[at];
  if (at + Block < n) mine = Operator::fold(mine, in[at + Block]);
  items[tid] = mine;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(Block);
  unsigned s = Block / 2;
  for (; s > lanes; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid >= lanes) return;
  for (; s > 0; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncwarp(first_lanes(lanes));
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
