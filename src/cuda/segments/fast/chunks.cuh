// SPDX-License-Identifier: Apache-2.0
#pragma once
// Segments of several chunks: each chunk's sum waits in memory, and the warp that comes last makes
// the tree above them.

#include "cuda/many/fast/parts.cuh"
#include "cuda/parts/lanes.cuh"
#include "cuda/parts/warp.cuh"
#include "cuda/segments/cut.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

inline constexpr std::int64_t segment_chunk = tuning::chunk_items;

/// Chunks of a segment; of an empty one there is one too, with nothing in it.
ONEFOLD_HOST_DEVICE constexpr std::int64_t chunks_of(std::int64_t n) {
  return n <= segment_chunk ? 1 : (n - 1) / segment_chunk + 1;
}

/// Where the sums of chunks wait: slot e / 65536 for one that begins at element e. Whole ones
/// begin 65536 elements apart at least; so do last ones that are not whole, each of which has a
/// whole one of its segment before it. So each kind has slots of its own, and tickets are those of
/// the first chunks, which are whole.
class waiting_chunks {
 public:
  ONEFOLD_DEVICE waiting_chunks(const segment_arguments& a, std::int64_t begin, std::int64_t n)
      : slots_(a.of.items / segment_chunk + 1), first_(begin / segment_chunk), all_(chunks_of(n)),
        last_is_whole_(n % segment_chunk == 0), whole_(a.partials + first_),
        ticket_(a.tickets + first_) {}

  ONEFOLD_DEVICE std::int64_t count() const { return all_; }
  ONEFOLD_DEVICE std::int64_t operator[](std::int64_t c) const {
    return c == all_ - 1 && !last_is_whole_ ? whole_[c + slots_] : whole_[c];
  }
  /// One lane calls it. Whether all chunks are there: then the ticket is zero again.
  ONEFOLD_DEVICE bool leave(std::int64_t c, std::int64_t word) const {
    whole_[c == all_ - 1 && !last_is_whole_ ? c + slots_ : c] = word;
    __threadfence();
    const bool last = atomicAdd(ticket_, 1u) == unsigned(all_ - 1);
    __threadfence();
    if (last) *ticket_ = 0;
    return last;
  }
  /// Writes over chunks that were read.
  ONEFOLD_DEVICE void put(std::int64_t c, std::int64_t word) const { whole_[c] = word; }
  /// The same chunks, of which as many are left.
  ONEFOLD_DEVICE waiting_chunks shortened(std::int64_t count) const {
    waiting_chunks made = *this;
    made.all_ = count, made.last_is_whole_ = true;
    return made;
  }

 private:
  std::int64_t slots_, first_, all_;
  bool last_is_whole_;
  std::int64_t* whole_;
  unsigned* ticket_;
};

/// The sums `from`, `from` + 1 … of waiting chunks.
struct run_of_chunks {
  const waiting_chunks& of;
  std::int64_t from;
  ONEFOLD_DEVICE std::int64_t operator[](std::int64_t i) const { return of[from + i]; }
};

/// The tree of all chunks, in every lane. Every lane of the warp calls it. Each pass merges runs of
/// 256, which are subtrees; what a later run reads is after what is written.
template <class Number>
ONEFOLD_DEVICE Number tree_of_chunks(waiting_chunks chunks) {
  constexpr int own = sizeof(Number) == 8 ? 2 : 4, run = own * int(warp_lanes);
  ONEFOLD_ROLLED
  while (chunks.count() > 1) {
    ONEFOLD_ROLLED
    for (std::int64_t first = 0; first < chunks.count(); first += run) {
      const std::int64_t left = chunks.count() - first, mine = lane_index() * own;
      Number sum = 0;
      if (mine < left)
        sum = tree_of_run<Number, own>(run_of_chunks{chunks, first + mine}, left - mine);
      ONEFOLD_ROLLED
      for (int apart = 1; apart < int(warp_lanes); apart *= 2) {
        const Number other = __shfl_down_sync(whole_warp, sum, apart);
        if (lane_index() % (2 * apart) == 0 && mine + apart * own < left) sum += other;
      }
      __syncwarp();
      if (lane_index() == 0) chunks.put(first / run, word_of_number(sum));
      __syncwarp();
    }
    chunks = chunks.shortened((chunks.count() - 1) / run + 1);
  }
  return Number(__builtin_bit_cast(double, chunks[0]));
}

}  // namespace onefold::cuda
