// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/unrolled: the block's size is known to the compiler, and the tree has no loop.
//
// Each step is an instantiation that calls the next: distances are constants, and what the loop
// spent on counting and testing is gone. Memory sees nothing of it. The host chooses among the
// eleven legal sizes (kernels/dot.cuh).

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// The steps of distance S, S / 2, ..., 1. Every lane of the block comes here.
template <unsigned S, class T>
__device__ __forceinline__ void add_halves(T* items, unsigned tid) {
  if constexpr (S > 0) {
    if (tid < S) items[tid] += items[tid + S];
    __syncthreads();
    add_halves<S / 2>(items, tid);
  }
}

/// Shape:  a[n], b[n], n >= 0; partials[grid]; Block lanes, a power of two; one product a lane.
/// Order:  product i meets product i + s. Lane 0 writes the block's partial.
template <class T, unsigned Block>
__global__ void dot_unrolled(const T* a, const T* b, std::size_t n, T* partials) {
  __shared__ T items[Block];
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * Block + tid;
  T mine = sum<T>::identity;
  if (at < n) mine = a[at] * b[at];
  items[tid] = mine;
  __syncthreads();

  add_halves<Block / 2>(items, tid);

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
