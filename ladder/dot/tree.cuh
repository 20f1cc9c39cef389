// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/tree: the products are added by a tree, interleaved.
//
// In the step of distance s the lanes whose low bits are all zero add the product s further on. A
// mask finds them where reduce/modulo divides: the same lanes, so the same divergence, without the
// division. No two lanes of a request want different words of one bank, here as there.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], n >= 0; partials[grid]; block a power of two; one product a lane.
/// Order:  a tree over neighbours. Lane 0 writes the block's partial.
template <class T>
__global__ void dot_tree(const T* a, const T* b, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  T value = sum<T>::identity;
  if (at < n) value = a[at] * b[at];
  items[tid] = value;
  __syncthreads();

  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned mask = 2 * s - 1;
    if ((tid & mask) == 0) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
