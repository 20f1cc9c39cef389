// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words of a grid's blocks become one list of words, in the block that comes last.
//
// Integers commute: blocks add their words to the workspace in any order. Short lists count the
// blocks in the upper bits of every word, so that what an atomic returns shows the block which ends
// a word, and the word is there with it: no fence, no ticket, nothing is read again. One block
// ends all words but in a few launches of a hundred, where several hand over what they have ended.
// Long lists have mostly zeros, which are not worth an atomic each. The fence before the ticket
// makes their words visible to the block that sees the ticket drawn, the fence after it lets the
// last block see the words of all that drew before. No launch needs a memset: the last block leaves
// zeros.

#include "cuda/primitives/grids.hpp"
#include "cuda/primitives/words.cuh"

namespace onefold::cuda {

/// In device memory, zero before and after every launch.
template <int Words>
struct grid_workspace {
  unsigned long long words[Words];
  std::int64_t ended[Words];
  unsigned ticket;
};

/// One lane of each block; true in the last block of the grid.
ONEFOLD_DEVICE bool draw_last_ticket(unsigned* ticket) {
  __threadfence();
  const bool last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  return last;
}

/// Whether blocks are counted in the words: of longer lists as long as all their atomics, which may
/// come at once, take less time than the fences.
template <int Words>
ONEFOLD_DEVICE bool counts_in_words() {
  return Words <= int(warp_lanes) || gridDim.x * Words <= 4096;
}

/// Adds this block to a word; true if it is the last, and then `total` is the grid's.
/// Precondition: the sums of the grid are within -2^51 … 2^51 - 1.
ONEFOLD_DEVICE bool end_word(unsigned long long* word, std::int64_t& total) {
  constexpr unsigned long long block = 1ull << 52;
  static_assert(most_grid_blocks < (1ull << 12));
  const unsigned long long counted = static_cast<unsigned long long>(total) + block;
  const unsigned long long all = atomicAdd(word, counted) + counted;
  const unsigned long long blocks = (all + block / 2) / block;
  if (blocks != gridDim.x) return false;
  total = std::int64_t(all - blocks * block);
  atomicExch(word, 0ull);
  return true;
}

/// Hands over the words that this block has ended, a bit each of those of a lane; the block that
/// hands over the last ones has all of them.
template <int Words>
ONEFOLD_COLD bool join_ended_words(std::int64_t* totals, grid_workspace<Words>* workspace,
                                   unsigned ended, unsigned count) {
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x, ended >>= 1)
    if ((ended & 1) != 0) workspace->ended[i] = totals[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const bool last = atomicAdd(&workspace->ticket, count) + count == Words;
    __threadfence();
    if (last) workspace->ticket = 0;
    totals[Words] = last;
  }
  __syncthreads();
  if (totals[Words] == 0) return false;
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x) {
    totals[i] = workspace->ended[i];
    workspace->ended[i] = 0;
  }
  return true;
}

template <int Words>
ONEFOLD_DEVICE bool fold_counted_words(std::int64_t* totals, grid_workspace<Words>* workspace) {
  unsigned ended = 0, count = 0, bit = 1;
  for (unsigned first = 0; first < Words; first += blockDim.x, bit *= 2) {
    const unsigned i = first + threadIdx.x;
    const bool ends = i < Words && end_word(&workspace->words[i], totals[i]);
    if (ends) ended |= bit;
    count += unsigned(__syncthreads_count(ends));
  }
  if (count == 0 || count == Words) return count != 0;
  return join_ended_words(totals, workspace, ended, count);
}

template <int Words>
ONEFOLD_DEVICE bool fold_other_words(std::int64_t* totals, grid_workspace<Words>* workspace) {
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x)
    if (totals[i] != 0) atomicAdd(&workspace->words[i], static_cast<unsigned long long>(totals[i]));
  __syncthreads();
  if (threadIdx.x == 0) totals[Words] = draw_last_ticket(&workspace->ticket);
  __syncthreads();
  if (totals[Words] == 0) return false;
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x) {
    totals[i] = std::int64_t(workspace->words[i]);
    workspace->words[i] = 0;
  }
  return true;
}

/// totals[Words] of each block in shared memory become those of the grid; false in all blocks but
/// one, which has them after the next barrier. Every lane calls it; word i has been written by lane
/// i % blockDim.x. totals[Words] is free for use.
/// Precondition: at most most_grid_blocks; the sums of the grid are within -2^51 … 2^51 - 1, as
/// those of digits that have been carried and of counts are.
template <int Words>
ONEFOLD_DEVICE bool fold_blocks(std::int64_t* totals, grid_workspace<Words>* workspace) {
  if (gridDim.x == 1) return true;
  if (counts_in_words<Words>()) return fold_counted_words(totals, workspace);
  return fold_other_words(totals, workspace);
}

}  // namespace onefold::cuda
