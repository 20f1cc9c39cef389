// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/two-stage: one kernel for both stages, elements to partials and partials to the answer.
//
// Blocks cannot wait for each other inside a launch, but a launch waits for the one before it. So
// the kernel runs again, as a single block, over the partials of its first run; it fits because
// neither its grid nor its block is tied to n or known to the compiler. One load a round is
// enough: the next round's load does not depend on this round's fold, and the compiler may issue
// it early.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; any grid.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_two_stage(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = Operator::identity;
  const std::size_t round = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid; at < n; at += round) {
    value = Operator::fold(value, in[at]);
  }
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(blockDim.x);
  unsigned s = blockDim.x / 2;
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
