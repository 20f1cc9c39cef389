// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/last-warp-volatile: reduce/last-warp with the defect it was printed with. For teaching;
// no driver uses it.
//
// `volatile` stands where __syncwarp() belongs. It makes every lane load and store its word of
// shared memory in every step; it does not make one lane wait for another. Where the lanes of a
// warp run in step the sum comes out right, and until Volta they did.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/last-warp.
template <class T, class Operator, unsigned Block>
__global__ void reduce_last_warp_volatile(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  if (at + Block < n) value = Operator::fold(value, in[at + Block]);
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(Block / 2);
  for (unsigned s = Block / 2; s > lanes; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid < lanes) {
    volatile T* const last = items;
    for (unsigned s = lanes; s > 0; s /= 2) last[tid] = Operator::fold(last[tid], last[tid + s]);
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
