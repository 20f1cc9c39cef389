// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/last-warp: no barrier of the block once a single warp works.
//
// From distance 32 down every element in play belongs to the first warp, so the others leave and
// their lanes need not be waited for. The lanes of one warp still do: since Volta each has its own
// program counter, and nothing but __syncwarp() makes them meet and shows one what another
// stored. `volatile`, the older remedy, orders the compiler and not the lanes.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; two elements a lane.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_last_warp(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * (2 * blockDim.x) + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  if (at + blockDim.x < n) value = Operator::fold(value, in[at + blockDim.x]);
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(blockDim.x);
  unsigned s = blockDim.x / 2;
  for (; s > lanes; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid >= lanes) return;
  for (; s > 0; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncwarp(first_lanes(lanes));
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
