// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/cascading-step: reduce/cascading with the defect it was printed with. For teaching; no
// driver uses it.
//
// The loop steps by one block where it should step by two of every block of the grid, and blocks
// start one block apart: each block folds all that lies behind its start, twice.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/cascading.
template <class T, class Operator, unsigned Block>
__global__ void reduce_cascading_step(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = Operator::identity;
  for (std::size_t at = std::size_t{blockIdx.x} * Block + tid; at < n; at += Block) {
    value = Operator::fold(value, in[at]);
    if (at + Block < n) value = Operator::fold(value, in[at + Block]);
  }
  items[tid] = value;
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

}  // namespace onefold::ladder::published
