// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/last-warp: the last steps are one warp's own affair.
//
// As soon as one warp is left to work, the others need not be waited for, and __syncwarp takes the
// barrier's place. It has to be there: lanes of a warp advance on their own since Volta, and
// nothing else orders a lane's store before its neighbour's load. The test of each step stays too:
// without it a lane would overwrite what another still reads.

#include "ladder/operators.cuh"
#include "ladder/reduce/lanes.cuh"

#include <cstddef>

namespace onefold::ladder {

/// The steps of distance S, S / 2, ..., 1; only the `lanes` of the first warp take part in those
/// that fit into it.
template <unsigned S, class T>
__device__ __forceinline__ void add_halves_by_warps(T* items, unsigned tid, unsigned lanes) {
  if constexpr (S > 0) {
    if (S <= lanes && tid >= lanes) return;
    if (tid < S) items[tid] += items[tid + S];
    if (S > lanes) {
      __syncthreads();
    } else {
      __syncwarp(first_lanes(lanes));
    }
    add_halves_by_warps<S / 2>(items, tid, lanes);
  }
}

/// Shape:  a[n], b[n], n >= 0; partials[grid]; Block lanes, a power of two; one product a lane.
/// Order:  product i meets product i + s. Lane 0 writes the block's partial.
template <class T, unsigned Block>
__global__ void dot_last_warp(const T* a, const T* b, std::size_t n, T* partials) {
  __shared__ T items[Block];
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * Block + tid;
  T mine = sum<T>::identity;
  if (at < n) mine = a[at] * b[at];
  items[tid] = mine;
  __syncthreads();

  add_halves_by_warps<Block / 2>(items, tid, lanes_of_a_warp(Block));

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
