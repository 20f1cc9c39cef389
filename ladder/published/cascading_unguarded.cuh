// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/cascading-unguarded: reduce/cascading with the defect it was printed with. For
// teaching; no driver uses it.
//
// The loop's condition guards the first load of a round and nothing guards the second: it reads
// past the end unless n is a multiple of two blocks.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/cascading.
template <class T, class Operator, unsigned Block>
__global__ void reduce_cascading_unguarded(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = Operator::identity;
  const std::size_t round = std::size_t{gridDim.x} * (2 * Block);
  for (std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid; at < n; at += round) {
    value = Operator::fold(value, Operator::fold(in[at], in[at + Block]));
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
