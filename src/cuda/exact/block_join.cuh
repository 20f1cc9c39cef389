// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cuda/exact/interval.cuh"

namespace onefold::cuda {

/// Adds the sums of threads t + apart, t + 2 apart, … of a block to those of its threads t < apart.
/// Every thread calls it. meeting: shared memory, [Sum::parts][blockDim.x]; read: as read_sum.
template <class Sum, class Read>
ONEFOLD_DEVICE void join_across_block(Sum& mine, unsigned apart, std::int64_t* meeting,
                                      const Read& read) {
  write_sum(mine, meeting + threadIdx.x, blockDim.x);
  __syncthreads();
  ONEFOLD_ROLLED
  for (unsigned t = threadIdx.x + apart; threadIdx.x < apart && t < blockDim.x; t += apart)
    mine.join(read(meeting + t, blockDim.x));
  __syncthreads();
}

}  // namespace onefold::cuda
