// SPDX-License-Identifier: Apache-2.0
#pragma once
// A chunk of a reduction whose order is part of its bits, as a block reduces it: the term of
// element i goes to virtual lane i mod 64, in the order of i; then the lanes fold by halves.

#include "cuda/parts/lanes.cuh"
#include "cuda/parts/warp.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

inline constexpr unsigned chunk_threads = 256;

/// The fold of the lanes by halves, in thread 0. Every thread of the block calls it.
template <class Number>
ONEFOLD_DEVICE Number fold_lanes(Number sum, Number* upper_lanes) {
  const unsigned half = virtual_lanes / 2;
  if (threadIdx.x >= half && threadIdx.x < virtual_lanes) upper_lanes[threadIdx.x - half] = sum;
  __syncthreads();
  if (threadIdx.x >= half) return sum;
  sum = sum + upper_lanes[threadIdx.x];
  for (unsigned step = half / 2; step > 0; step /= 2)
    sum = sum + __shfl_down_sync(whole_warp, sum, step);
  return sum;
}

}  // namespace onefold::cuda
