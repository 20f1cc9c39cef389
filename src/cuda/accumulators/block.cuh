// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of a block's warps become one list of words.

#include "cuda/accumulators/wide.cuh"
#include "onefold/detail/config.hpp"

namespace onefold::cuda {

/// Shared memory of a block in words: one list for each warp, one for the block, and a flag.
template <int Words>
ONEFOLD_HOST_DEVICE constexpr unsigned shared_words(unsigned threads) {
  return (threads / warp_lanes + 1) * Words + 1;
}

/// Adds up the warps' lists in shared[warps][Words]; the sum is the list after them, which is
/// returned. Digits are carried one place on the way, so that 2^30 such lists can be added.
/// Every lane of the block calls it; other lanes' sums are there after the next barrier.
template <int Limbs, int Words>
ONEFOLD_DEVICE std::int64_t* fold_warps(std::int64_t* shared) {
  const unsigned warps = blockDim.x / warp_lanes;
  std::int64_t* const totals = shared + warps * Words;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x) {
    std::int64_t sum = 0;
    ONEFOLD_UNROLL_BY_8
    for (unsigned w = 0; w < warps; ++w) sum += carried_word<Limbs>(shared + w * Words, i);
    totals[i] = sum;
  }
  return totals;
}

/// The same of the lists of moments: those of Of::sum and of Of::squares, contiguous.
template <class Of>
ONEFOLD_DEVICE std::int64_t* fold_moment_warps(std::int64_t* shared) {
  const unsigned warps = blockDim.x / warp_lanes;
  constexpr unsigned first = Of::sum::words;
  std::int64_t* const totals = shared + warps * Of::words;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < Of::words; i += blockDim.x) {
    std::int64_t total = 0;
    ONEFOLD_UNROLL_BY_8
    for (unsigned w = 0; w < warps; ++w) {
      const std::int64_t* const list = shared + w * Of::words;
      total += i < first ? carried_word<Of::sum::limbs>(list, i)
                         : carried_word<Of::squares::limbs>(list + first, i - first);
    }
    totals[i] = total;
  }
  return totals;
}

}  // namespace onefold::cuda
