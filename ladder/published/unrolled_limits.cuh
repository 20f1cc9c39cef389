// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/unrolled-limits: reduce/unrolled with the limit it was printed with. For teaching; no
// driver uses it.
//
// The last warp runs all its lanes through all its steps. In a block of 32 or fewer, which no text
// rules out, the upper lanes then read past the end of the shared array.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/unrolled, for blocks of 64 and more.
template <class T, class Operator, unsigned Block>
__global__ void reduce_unrolled_limits(const T* in, std::size_t n, T* partials) {
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
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid >= lanes) return;
  for (; s > 0; s /= 2) {
    value = Operator::fold(items[tid], items[tid + s]);
    __syncwarp(first_lanes(lanes));
    items[tid] = value;
    __syncwarp(first_lanes(lanes));
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
