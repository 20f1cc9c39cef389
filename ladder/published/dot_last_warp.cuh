// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/dot-last-warp: the last warp without anything that orders its lanes. For teaching; no
// driver uses it.
//
// From distance 32 down the lanes of the first warp add without a barrier, without __syncwarp and
// without even `volatile`: the compiler may keep a lane's sum in a register, and no lane need see
// what another has stored. The missing test lets lanes overwrite what others have yet to read.

#include "ladder/published/dot_block.cuh"

namespace onefold::ladder::published {

/// Shape:  as dot/last-warp, for blocks of dot_block; n is accepted and, as printed, not looked at.
template <class T>
__global__ void dot_last_warp(const T* a, const T* b, std::size_t, T* partials) {
  __shared__ T items[dot_block];
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  items[tid] = a[at] * b[at];
  __syncthreads();

  if (tid < 256) items[tid] += items[tid + 256];
  __syncthreads();
  if (tid < 128) items[tid] += items[tid + 128];
  __syncthreads();
  if (tid < 64) items[tid] += items[tid + 64];
  __syncthreads();
  if (tid < 32) {
    items[tid] += items[tid + 32];
    items[tid] += items[tid + 16];
    items[tid] += items[tid + 8];
    items[tid] += items[tid + 4];
    items[tid] += items[tid + 2];
    items[tid] += items[tid + 1];
  }
  __syncthreads();

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
