// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers in several parts, of millions of elements, that an interval or a double-word sum leaves
// ambiguous: all blocks sum them up again by exact arithmetic, each block a piece of an answer.

#include "cuda/accumulators/block.cuh"
#include "cuda/kernels/batched/ambiguous_answers.hpp"
#include "cuda/kernels/batched/batched_answers.cuh"
#include "cuda/primitives/grid.cuh"

namespace onefold::cuda {

/// Notes an answer. One lane.
ONEFOLD_DEVICE void note_ambiguous(const ambiguous_list& list, std::int64_t k) {
  using word = unsigned long long;
  const auto i = std::int64_t(atomicAdd(reinterpret_cast<word*>(list.counts), word(1)));
  list.entries[2 * i] = k, list.entries[2 * i + 1] = 0;
}

/// Elements of a range from its element `first` on.
struct range_piece {
  strided_range whole;
  std::int64_t first, count;

  ONEFOLD_DEVICE std::int64_t at(std::int64_t r) const { return whole.at(first + r); }
};

/// A block's way through the answers of a list.
template <accumulator Accumulator, class T>
class ambiguous_answers {
 public:
  using traits = terms<Accumulator, T>;

  /// shared: shared_words<of::words>.
  ONEFOLD_DEVICE ambiguous_answers(const batched_arguments& a, const column_places& places,
                                   const ambiguous_list& list, std::int64_t* shared)
      : a_(a), elements_{a, places}, list_(list), shared_(shared) {}

  /// Of few answers each has many blocks, as far as a warp of them has a step to take.
  ONEFOLD_DEVICE void fallback() const {
    const std::int64_t count = *list_.counts, all = a_.form.n;
    const std::int64_t steps = (all + block_step() - 1) / block_step();
    const std::int64_t pieces = max(min(std::int64_t(gridDim.x) / count, steps), std::int64_t(1));
    ONEFOLD_ROLLED
    for (std::int64_t task = blockIdx.x; task < count * pieces; task += gridDim.x)
      take(task / pieces, task % pieces, pieces);
  }

 private:
  using way = exact_fallback<Accumulator, T>;

  ONEFOLD_DEVICE static unsigned warps() { return blockDim.x / warp_lanes; }
  ONEFOLD_DEVICE static std::int64_t block_step() { return std::int64_t(warps()) * way::step; }

  // A piece of answer i of the list; whoever is last of its pieces writes.
  ONEFOLD_DEVICE void take(std::int64_t i, std::int64_t piece, std::int64_t pieces) const {
    const std::int64_t k = list_.entries[2 * i];
    std::int64_t* const totals = sum_of_piece(k, piece, pieces);
    if (pieces > 1 && !join_pieces(i, piece, pieces, totals)) return;
    if (threadIdx.x == 0)
      finish_digits<Accumulator, T>(totals, a_.form.n, a_.form.which, a_.form.output, a_.out, k);
    __syncthreads();
  }
  // In shared memory, of all lanes. Of 2^31 elements a warp deposits less than 2^30 times.
  ONEFOLD_DEVICE std::int64_t* sum_of_piece(std::int64_t k, std::int64_t piece,
                                            std::int64_t pieces) const {
    const unsigned warp = threadIdx.x / warp_lanes;
    std::int64_t* const words = shared_ + warp * traits::words;
    warp_digits<traits::limbs, traits::words>(words).clear();
    const std::int64_t all = a_.form.n, each = (all / (pieces * block_step()) + 1) * way::step;
    const std::int64_t first = min((piece * warps() + warp) * each, all);
    const T* const x = static_cast<const T*>(a_.x) + elements_.place(k);
    way(x, x, words).add(range_piece{elements_.range(), first, min(each, all - first)});
    std::int64_t* const totals = fold_warps<traits::limbs, traits::words>(shared_);
    __syncthreads();
    return totals;
  }
  // True in the block that comes last, which has the sum of all pieces then.
  ONEFOLD_DEVICE bool join_pieces(std::int64_t i, std::int64_t piece, std::int64_t pieces,
                                  std::int64_t* totals) const {
    std::int64_t* const own = list_.digits + std::int64_t(blockIdx.x) * traits::words;
    for (unsigned w = threadIdx.x; w < traits::words; w += blockDim.x) own[w] = totals[w];
    __syncthreads();
    if (threadIdx.x == 0) {
      using word = unsigned long long;
      __threadfence();
      totals[traits::words] =
          std::int64_t(atomicAdd(reinterpret_cast<word*>(list_.entries + 2 * i + 1), word(1)));
      __threadfence();
    }
    __syncthreads();
    if (totals[traits::words] != pieces - 1) return false;
    const std::int64_t* const first = own - piece * traits::words;
    for (unsigned w = threadIdx.x; w < traits::words; w += blockDim.x) {
      std::int64_t sum = 0;
      ONEFOLD_UNROLL_BY_8
      for (std::int64_t p = 0; p < pieces; ++p)
        sum += carried_word<traits::limbs>(first + p * traits::words, w);
      totals[w] = sum;
    }
    __syncthreads();
    return true;
  }

  const batched_arguments& a_;
  column_elements elements_;
  ambiguous_list list_;
  std::int64_t* shared_;
};

template <accumulator Accumulator>
ONEFOLD_DEVICE void ambiguous_fallback(const batched_arguments& a, const column_places& places,
                                       const ambiguous_list& list, dtype input,
                                       std::int64_t* shared) {
  if (input == dtype::f64)
    ambiguous_answers<Accumulator, double>(a, places, list, shared).fallback();
  else if (input == dtype::f32)
    ambiguous_answers<Accumulator, float>(a, places, list, shared).fallback();
  else if (input == dtype::f16)
    ambiguous_answers<Accumulator, f16>(a, places, list, shared).fallback();
  else
    ambiguous_answers<Accumulator, bf16>(a, places, list, shared).fallback();
}

/// Shape:  the arguments of the kernels before it; the places of columns, and of rows those of
///         columns of one; input: the elements' type; blocks of whole
///         warps; dynamic shared memory for shared_words<terms<Accumulator, double>::words>, and
///         room for the digits of as many blocks as there are. The counts become zero.
/// Error:  none: answers are rounded once.
/// Order:  none: the same bits in every run and grid.
template <accumulator Accumulator>
__global__ void __launch_bounds__(fallback_threads, 2)
    batched_fallback(batched_arguments a, column_places places, ambiguous_list list, dtype input) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  if (*list.counts == 0) return;
  ambiguous_fallback<Accumulator>(a, places, list, input, shared);
  __syncthreads();
  if (threadIdx.x == 0 && draw_last_ticket(reinterpret_cast<unsigned*>(list.counts + 1)))
    *list.counts = 0;
}

}  // namespace onefold::cuda
