// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frame of a kernel that folds one whole array in one launch.
//
// A block folds its share to a partial of a few words, leaves it in its slot and draws a ticket;
// the block that draws the last one folds the slots. The fence before the ticket makes the slot
// visible to the block that sees the ticket drawn, the one after it makes all slots visible to the
// last block. The ticket wraps to zero, and the last block clears the slots that it has read: the
// workspace is zero again for the next launch.

#include "cuda/primitives/cuda_compat.cuh"

#include <cstddef>
#include <cstdint>

#include "cuda/primitives/grid.cuh"
#include "cuda/primitives/vectors.cuh"
#include "cuda/primitives/words.cuh"
#include "cuda/rounding/epilogue.cuh"

namespace onefold::cuda::folds {

/// Blocks of one launch, at most.
inline constexpr unsigned most_blocks = 2048;
/// Lanes of a block, at most; two such blocks have 64 registers a lane, as many as the loops need.
/// A block is a multiple of 32 lanes.
inline constexpr unsigned most_threads = 512, blocks_each = 2;

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

/// The partials of a warp, folded, in lane 0. Loops are rolled, as below.
template <class Fold>
__device__ __forceinline__ void fold_warp(const Fold& fold, partial_words<Fold>& partial) {
  if constexpr (requires { fold.fold_warp(partial.word); }) {
    fold.fold_warp(partial.word);
  } else {
    ONEFOLD_ROLLED
    for (unsigned step = 16; step > 0; step /= 2) {
      partial_words<Fold> other;
      for (int i = 0; i < Fold::partial_words; ++i)
        other.word[i] = __shfl_down_sync(whole_warp, partial.word[i], step);
      fold.merge(partial.word, other.word);
    }
  }
}

/// The partials of a block, folded; only lane 0 has the result. `warps`: a partial for each warp,
/// which no lane reads when the last one comes here. Loops are rolled: this runs once or twice, and
/// straight code takes some five cycles an instruction, those of its way from the second cache.
template <class Fold>
__device__ __forceinline__ partial_words<Fold>
fold_block(const Fold& fold, partial_words<Fold> partial, std::int64_t* warps) {
  constexpr int words = Fold::partial_words;
  ONEFOLD_ROLLED
  for (bool of_warps = false;; of_warps = true) {
    fold_warp(fold, partial);
    if (of_warps) return partial;
    if (threadIdx.x % warp_lanes == 0)
      for (int i = 0; i < words; ++i) warps[threadIdx.x / warp_lanes * words + i] = partial.word[i];
    __syncthreads();
    if (threadIdx.x >= warp_lanes) return partial;
    fold.clear(partial.word);
    if (threadIdx.x < blockDim.x / warp_lanes)
      for (int i = 0; i < words; ++i) partial.word[i] = warps[threadIdx.x * words + i];
  }
}

/// This lane's share of the partials of all blocks; the slots are zero afterwards.
template <class Fold>
__device__ __forceinline__ partial_words<Fold> share_of_slots(const Fold& fold,
                                                              std::int64_t* slots) {
  constexpr int words = Fold::partial_words;
  partial_words<Fold> partial;
  fold.clear(partial.word);
  ONEFOLD_ROLLED
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    std::int64_t* const slot = slots + std::size_t(block) * words;
    partial_words<Fold> other;
    for (int i = 0; i < words; ++i) other.word[i] = slot[i];
    for (int i = 0; i < words; ++i) slot[i] = 0;
    fold.merge(partial.word, other.word);
  }
  return partial;
}

/// The partials of the grid, folded, in lane 0 of the block that returns true, the last one.
template <class Fold>
__device__ __forceinline__ bool fold_grid(const Fold& fold, partial_words<Fold>& partial,
                                          void* workspace, std::int64_t* warps, bool& is_last) {
  auto* const ticket = static_cast<unsigned*>(workspace);
  auto* const slots =
      reinterpret_cast<std::int64_t*>(static_cast<unsigned char*>(workspace) + slots_offset_bytes);
  ONEFOLD_ROLLED
  for (bool of_blocks = false;; of_blocks = true) {
    partial = fold_block(fold, partial, warps);
    if (of_blocks || gridDim.x == 1) return true;
    if (threadIdx.x == 0) {
      for (int i = 0; i < Fold::partial_words; ++i)
        slots[std::size_t(blockIdx.x) * Fold::partial_words + i] = partial.word[i];
      is_last = draw_last_ticket(ticket);
    }
    __syncthreads();
    if (!is_last) return false;
    partial = share_of_slots(fold, slots);
  }
}

/// Whether a list is of a least or largest element in its own type alone.
ONEFOLD_DEVICE bool is_plain_selection(const finish_list& list, const element_kind& kind) {
  const finish_item& item = list.answers[0];
  return list.size == 1 && (item.op == op::min || item.op == op::max) && item.type == kind.type &&
         kind.type != dtype::boolean;
}

/// Shape:  x[n], n >= 0, of a kind, aligned to its elements; workspace of workspace_of<Fold> bytes,
///         zero before and after, null of one block; words[Fold::state_words], those of the
///         accumulator's state, or null; blocks of a multiple of 32 lanes, at most most_threads; at
///         most most_blocks of them.
/// Error:  none: what the accumulator keeps of the elements is kept exactly; answers as on the
///         host.
/// Order:  none: any grid gives the same words.
template <class Fold>
__global__ void __launch_bounds__(most_threads, blocks_each)
    fold_whole(const void* x, const element_kind kind, std::int64_t capacity, void* workspace,
               std::int64_t* words, ONEFOLD_KERNEL_ARGUMENT finish_list list) {
  __shared__ std::int64_t warps[most_threads / warp_lanes * Fold::partial_words];
  __shared__ std::int64_t state[Fold::state_words];
  __shared__ bool is_last, is_written;
  const std::int64_t n = counted_items(capacity, list);
  const vectors<typename Fold::element> array(x, n);
  Fold share(kind);
  sweep(array, share);
  partial_words<Fold> partial;
  share.store(partial.word);
  if (!fold_grid(share, partial, workspace, warps, is_last)) return;
  if constexpr (requires { share.write_plain(partial.word, n, list); })
    if (words == nullptr && is_plain_selection(list, kind)) {
      if (threadIdx.x == 0) is_written = share.write_plain(partial.word, n, list);
      __syncthreads();
      if (is_written) return;
    }
  share.finish(array, n, partial.word, warps, state);
  if (threadIdx.x != 0) return;
  copy_words<Fold::state_words>(state, words, 1);
  if (list.size > 0) finish_selection<typename Fold::state>(state, kind, list);
}

}  // namespace onefold::cuda::folds
