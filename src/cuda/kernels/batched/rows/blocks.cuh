// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of a few elements N that are no whole vectors: as many of them as a vector has elements are
// N vectors, which a lane takes from shared memory, and their answers are one vector.

#include "cuda/kernels/batched/rows/packed.cuh"
#include "cuda/kernels/batched/rows/ring.cuh"

namespace onefold::cuda {

/// Writes the answer to row k of Each elements, if there is one. True: ambiguous.
template <class Terms, bool Plain, int Each>
ONEFOLD_DEVICE bool leaves_open(const rows_arguments& a, std::int64_t k) {
  using T = typename Terms::element;
  if (k >= a.batch.answers()) return false;
  const T* const x = static_cast<const T*>(a.batch.x) + k * Each;
  typename Terms::short_sum total;
  ONEFOLD_ROLLED
  for (int i = 0; i < Each; ++i) Terms::add(total, bits_at(x + i));
  return !write_row<Terms, Plain>(total, a.batch, a.by, k);
}

/// Of what is written as one piece: whether row k is ambiguous, after a second attempt where the
/// first one takes answers of the usual kind alone.
template <class Terms, bool Plain, int Each>
ONEFOLD_DEVICE bool leaves_ambiguous(const rows_arguments& a, std::int64_t k) {
  return Plain || leaves_open<Terms, Plain, Each>(a, k);
}

/// Of plain forms, or where is_quick; x and out at multiples of 16 bytes.
template <class Terms, bool Plain, int N>
class block_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::short_sum;
  static constexpr int items = vector_items<T>;

  /// stages: ring_words of this warp.
  ONEFOLD_DEVICE block_rows(const rows_arguments& a, std::int64_t* stages, std::int64_t* words)
      : a_(a), ring_(stages), words_(words), blocks_(a.batch.answers() / items) {}

  /// Of `warps` the one with number `warp`: every warps-th step.
  ONEFOLD_DEVICE void take(std::int64_t warp, std::int64_t warps) {
    const std::int64_t stride = warps * step_blocks;
    std::int64_t first = warp * step_blocks, ahead = first;
    int part = 0;  // of the step that is requested next
    const auto request_next = [&] {
      request(ahead + part * stage_blocks);
      if (++part == parts) part = 0, ahead += stride;
    };
    ONEFOLD_ROLLED
    for (int i = 1; i < ring_stages; ++i) request_next();
    ONEFOLD_ROLLED
    for (; first < blocks_; first += stride) {
      const std::int64_t* stage = ring_.oldest();
      request_next();
      if constexpr (parts == 2) {
        const std::int64_t* const second = ring_.oldest();
        if (lane_index() >= stage_blocks) stage = second - stage_blocks * block_words;
      }
      take_block(first, stage);
      if constexpr (parts == 2) {
        __syncwarp();
        request_next();
      }
    }
    if (warp == 0) take_rest();
  }

 private:
  static constexpr int parts = N > 4 ? 2 : 1;  ///< stages of a step
  static constexpr int step_blocks = int(warp_lanes);
  static constexpr int stage_blocks = step_blocks / parts, block_words = N * 2;
  static_assert(stage_blocks * N <= ring_vectors);

  ONEFOLD_DEVICE void request(std::int64_t first) {
    const std::int64_t left = min(std::int64_t(stage_blocks), blocks_ - first);
    const T* const x = static_cast<const T*>(a_.batch.x);
    if (left > 0)
      ring_.request(x + first * (N * items), int(left) * (N * items));
    else
      ring_.request(x, 0);
  }

  ONEFOLD_DEVICE void take_block(std::int64_t first, const std::int64_t* stage) const {
    const std::int64_t block = first + lane_index();
    unsigned ambiguous = 0;
    if (block < blocks_) ambiguous = write(block, stage + int(lane_index()) * block_words);
    if constexpr (Terms::digits > 0) {
      if (!any_lane(ambiguous != 0)) return;
      ONEFOLD_ROLLED
      for (int row = 0; row < items; ++row) {
        const std::int64_t k = block * items + row;
        const bool open = (ambiguous >> row & 1) != 0;
        fallback_answers<Terms>(a_.batch, open && leaves_ambiguous<Terms, Plain, N>(a_, k), k,
                                words_);
      }
    }
  }
  // Writes the answers of a block; a bit for each that is ambiguous.
  ONEFOLD_DEVICE unsigned write(std::int64_t block, const std::int64_t* at) const {
    vector_of<T> v[N];
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) v[i] = load_copied<T>(at + i * 2);
    plain_words<Terms, items> made;
    unsigned ambiguous = 0;
    sum sums[items];
    add(sums, v, std::make_integer_sequence<int, N * items>());
    ONEFOLD_UNROLL
    for (int row = 0; row < items; ++row)
      if (!bits_of(sums[row], made.bits[row])) ambiguous |= 1u << row;
    write_once(static_cast<plain_words<Terms, items>*>(a_.batch.out) + block, made);
    return ambiguous;
  }
  template <class Word>
  ONEFOLD_DEVICE bool bits_of(const sum& total, Word& made) const {
    if constexpr (Plain)
      return plain_bits<T>(total, made);
    else
      return quick_bits<Terms>(total, a_.batch.form, a_.by, made);
  }
  template <int... E>
  ONEFOLD_DEVICE static void add(sum (&sums)[items], const vector_of<T> (&v)[N],
                                 std::integer_sequence<int, E...>) {
    (Terms::add(sums[E / N], bits_in<T, E % items>(v[E / items])), ...);
  }

  // Rows after the last block, a lane each.
  ONEFOLD_DEVICE void take_rest() const {
    const std::int64_t k = blocks_ * items + lane_index();
    const bool ambiguous = leaves_open<Terms, Plain, N>(a_, k);
    if constexpr (Terms::digits > 0) fallback_answers<Terms>(a_.batch, ambiguous, k, words_);
  }

  const rows_arguments& a_;
  row_ring<Terms> ring_;
  std::int64_t* words_;
  std::int64_t blocks_;
};

/// Whether rows of such a length have gone by blocks.
template <class Terms, bool Plain>
ONEFOLD_DEVICE bool take_blocks(const rows_arguments& a, std::int64_t* stages, std::int64_t* words,
                                std::int64_t warp, std::int64_t warps) {
  const auto take = [&]<int N>(std::integral_constant<int, N>) {
    block_rows<Terms, Plain, N>(a, stages, words).take(warp, warps);
    return true;
  };
  constexpr bool narrow = sizeof(typename Terms::element) < 8;
  if (a.batch.n == 3) return take(std::integral_constant<int, 3>());
  if (a.batch.n == 5) return take(std::integral_constant<int, 5>());
  if constexpr (narrow)
    if (a.batch.n == 6) return take(std::integral_constant<int, 6>());
  if (a.batch.n == 7) return take(std::integral_constant<int, 7>());
  return false;
}

}  // namespace onefold::cuda
