// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of a grid's blocks become one list of words, in the block that comes last.
//
// Integers commute: blocks add their words to the workspace in any order. The fence before the
// ticket makes them visible to whoever sees the ticket drawn, the fence behind it lets the last
// block see the words of all that drew before. The ticket wraps to zero, and the last block leaves
// zeros in the words: no launch needs a memset.

#include "cuda/parts/words.cuh"

namespace onefold::cuda {

/// In device memory, zero before and after every launch.
template <int Words>
struct grid_workspace {
  std::int64_t words[Words];
  unsigned ticket;
};

/// One lane of each block; true in the last block of the grid.
ONEFOLD_DEVICE bool draw_last_ticket(unsigned* ticket) {
  __threadfence();
  const bool last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  return last;
}

/// totals[Words] of each block in shared memory become those of the grid; false in all blocks but
/// the last. Every lane calls it; word i has been written by lane i % blockDim.x. totals[Words] is
/// free for use.
template <int Words>
ONEFOLD_DEVICE bool fold_blocks(std::int64_t* totals, grid_workspace<Words>* workspace) {
  if (gridDim.x == 1) return true;
  using word = unsigned long long;
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x)
    if (totals[i] != 0) atomicAdd(reinterpret_cast<word*>(&workspace->words[i]), word(totals[i]));
  __syncthreads();
  if (threadIdx.x == 0) totals[Words] = draw_last_ticket(&workspace->ticket);
  __syncthreads();
  if (totals[Words] == 0) return false;
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x) {
    totals[i] = workspace->words[i];
    workspace->words[i] = 0;
  }
  return true;
}

}  // namespace onefold::cuda
