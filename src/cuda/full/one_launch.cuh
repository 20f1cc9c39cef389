// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frame of a kernel that folds one whole array in one launch.
//
// A block folds its share to a partial of a few words, leaves it in its slot and draws a ticket;
// the block that draws the last one folds the slots. The fence before the ticket makes the slot
// visible to whoever sees the ticket drawn, the one behind it makes the last block see all slots.
// The ticket wraps to zero, and the last block clears the slots that it has read: the workspace is
// zero again for the next launch.

#include "simt/simt.hpp"

#include <cstddef>
#include <cstdint>

#include "cuda/full/finish.cuh"
#include "cuda/parts/grid.cuh"
#include "cuda/parts/vectors.cuh"

namespace onefold::cuda::folds {

/// Blocks of one launch, at most.
inline constexpr unsigned most_blocks = 2048;
/// Lanes of a block, at most. A block is a multiple of 32 lanes.
inline constexpr unsigned most_threads = 1024;

/// Where the words of a workspace are: the ticket, alone in its sector, and the slots.
inline constexpr std::size_t slots_offset_bytes = 64;
template <class Fold>
inline constexpr std::size_t workspace_of = slots_offset_bytes +
                                            std::size_t(most_blocks) * Fold::partial_words *
                                                sizeof(std::int64_t);

/// The words of a partial. Words of one array would be kept in memory; these are registers.
template <class Fold>
struct partial_words {
  std::int64_t word[Fold::partial_words];
};

/// The partials of a block, folded; only lane 0 has the result. `warps`: a partial for each warp,
/// which no lane reads when the last one comes here.
template <class Fold>
__device__ partial_words<Fold> fold_block(partial_words<Fold> mine, std::int64_t* warps) {
  constexpr int words = Fold::partial_words;
  for (unsigned step = 16; step > 0; step /= 2) {
    partial_words<Fold> other;
    for (int i = 0; i < words; ++i)
      other.word[i] = __shfl_down_sync(0xFFFFFFFF, mine.word[i], step);
    Fold::merge(mine.word, other.word);
  }
  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < words; ++i) warps[threadIdx.x / 32 * words + i] = mine.word[i];
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp)
      Fold::merge(mine.word, warps + warp * words);
  return mine;
}

/// The partials of all blocks, of which lane 0 has the fold; the slots are zero afterwards.
template <class Fold>
__device__ partial_words<Fold> fold_slots(std::int64_t* slots, std::int64_t* warps) {
  constexpr int words = Fold::partial_words;
  partial_words<Fold> mine;
  Fold::clear(mine.word);
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    std::int64_t* const slot = slots + std::size_t(block) * words;
    partial_words<Fold> other;
    for (int i = 0; i < words; ++i) other.word[i] = slot[i], slot[i] = 0;
    Fold::merge(mine.word, other.word);
  }
  return fold_block<Fold>(mine, warps);
}

/// Shape:  x[n], n >= 0, aligned to its elements; workspace of workspace_of<Fold> bytes, zero
/// before
///         and after; words[Fold::state_words], the words of the family's state; blocks of a
///         multiple of 32 lanes, at most most_threads; at most most_blocks of them.
/// Error:  none: what the family keeps of the elements is kept exactly; answers as on the host.
/// Order:  none: any grid gives the same words.
template <class Fold>
__global__ void fold_full(const void* x, std::int64_t capacity, void* workspace,
                          std::int64_t* words, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  __shared__ std::int64_t warps[most_threads / 32 * Fold::partial_words];
  __shared__ bool is_last;
  const std::int64_t n = counted_items(capacity, list);
  const vectors<typename Fold::element> array(x, n);
  auto* const ticket = static_cast<unsigned*>(workspace);
  auto* const slots =
      reinterpret_cast<std::int64_t*>(static_cast<unsigned char*>(workspace) + slots_offset_bytes);

  Fold share;
  sweep(array, share);
  partial_words<Fold> mine;
  share.store(mine.word);
  mine = fold_block<Fold>(mine, warps);
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < Fold::partial_words; ++i)
        slots[std::size_t(blockIdx.x) * Fold::partial_words + i] = mine.word[i];
      is_last = draw_last_ticket(ticket);
    }
    __syncthreads();
    if (!is_last) return;
    mine = fold_slots<Fold>(slots, warps);
  }
  Fold::finish(array, n, mine.word, warps, words);
  if (list.size > 0 && threadIdx.x == 0)
    finish_selection<typename Fold::element, typename Fold::state>(words, list);
}

}  // namespace onefold::cuda::folds
