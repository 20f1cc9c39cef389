// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/dot-serial: dot/serial, rewritten after a printed kernel. For teaching; no driver
// uses it.
//
// The block's products are added onto partials[block], which nothing printed clears: the answer is
// off by whatever the memory held, and a second launch adds the products once more.

#include "ladder/published/dot_block.cuh"

namespace onefold::ladder::published {

/// Shape:  as dot/serial, for blocks of dot_block; n is accepted and, as printed, not looked at.
template <class T>
__global__ void dot_serial(const T* a, const T* b, std::size_t, T* partials) {
  __shared__ T items[dot_block];
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  items[tid] = a[at] * b[at];
  __syncthreads();

  if (tid == 0) {
    for (unsigned i = 0; i < dot_block; ++i) partials[blockIdx.x] += items[i];
  }
}

}  // namespace onefold::ladder::published
