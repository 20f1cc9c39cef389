// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/dot-unguarded: dot/tree, rewritten after a printed kernel: like all six versions
// without a look at the length. For teaching; no driver uses it.
//
// Every lane of every block loads, so the last block reads past the end unless n is a multiple of
// its size; and the size is a constant of the text, so a launch with another block reads products
// that nobody made or writes past the shared array.

#include "ladder/published/dot_block.cuh"

namespace onefold::ladder::published {

/// Shape:  as dot/tree, for blocks of dot_block; n is accepted and, as printed, not looked at.
template <class T>
__global__ void dot_unguarded(const T* a, const T* b, std::size_t, T* partials) {
  __shared__ T items[dot_block];
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  items[tid] = a[at] * b[at];
  __syncthreads();

  add_neighbours(items, tid);

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
