// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/dot-unrolled: dot/unrolled with the defect it was printed with. For teaching; no driver
// uses it.
//
// The steps are written out from distance 256 down, whatever the block. Below 512 lanes the first
// step reads past the end of the products.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as dot/unrolled, for blocks of 512; n is accepted and, as printed, not looked at.
template <class T>
__global__ void dot_unrolled(const T* a, const T* b, std::size_t, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  items[tid] = a[at] * b[at];
  __syncthreads();

  for (unsigned s = 256; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
