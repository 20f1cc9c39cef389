// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/serial: the lanes multiply, one lane adds.
//
// Every product is made by a lane of its own and left in shared memory; then lane 0 adds the
// block's products one after the other while the others wait. The additions are as many as on one
// processor: what the following rungs shorten from blockDim steps to log2 of it.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], n >= 0; partials[grid]; any block; one product a lane.
/// Order:  products are added in their order. Lane 0 writes the block's partial.
template <class T>
__global__ void dot_serial(const T* a, const T* b, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  T value = sum<T>::identity;
  if (at < n) value = a[at] * b[at];
  items[tid] = value;
  __syncthreads();

  if (tid == 0) {
    T total = sum<T>::identity;
    for (unsigned i = 0; i < blockDim.x; ++i) total += items[i];
    partials[blockIdx.x] = total;
  }
}

}  // namespace onefold::ladder
