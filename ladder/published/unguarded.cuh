// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/unguarded: reduce/modulo with the defect it was printed with. For teaching; no driver
// uses it.
//
// Every lane loads an element, whether there is one or not. The last block reads past the end
// unless n is a multiple of the block, and folds what it found there.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/modulo; n is accepted and, as printed, not looked at.
template <class T, class Operator>
__global__ void reduce_unguarded(const T* in, std::size_t, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  items[tid] = in[std::size_t{blockIdx.x} * blockDim.x + tid];
  __syncthreads();

  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
