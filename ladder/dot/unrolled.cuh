// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/unrolled: the block's size is known to the compiler.
//
// The text keeps its loop; with constant bounds nvcc writes its steps out one after another.
// Distances are constants then, and what the loop spent on counting and testing is gone. Memory
// sees nothing of it. The host chooses among the eleven legal sizes (kernels/dot.cuh).

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], n >= 0; partials[grid]; Block lanes, a power of two; one product a lane.
/// Order:  product i meets product i + s. Lane 0 writes the block's partial.
template <class T, unsigned Block>
__global__ void dot_unrolled(const T* a, const T* b, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * Block + tid;
  T value = sum<T>::identity;
  if (at < n) value = a[at] * b[at];
  items[tid] = value;
  __syncthreads();

  for (unsigned s = Block / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
