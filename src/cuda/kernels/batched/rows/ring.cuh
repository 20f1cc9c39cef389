// SPDX-License-Identifier: Apache-2.0
#pragma once
// Neighbouring rows, or a tile of a long one, in shared memory: stages of a warp, of which one is
// read while the others are on their way. Copies are of consecutive vectors, whatever the rows.

#include "cuda/kernels/batched/rows/reader.cuh"
#include "cuda/primitives/copy.cuh"

namespace onefold::cuda {

inline constexpr unsigned ring_threads = 128;  ///< of a block
inline constexpr int ring_stages = 4, ring_loads = 4;
inline constexpr int ring_vectors = ring_loads * int(warp_lanes);
inline constexpr int ring_words = ring_stages * ring_vectors * 2;  ///< of 64 bits, of a warp

/// Stages of `Loads` vectors a lane.
template <class Terms, int Stages = ring_stages, int Loads = ring_loads>
class row_ring {
 public:
  using T = typename Terms::element;
  static constexpr int items = vector_items<T>, stage_words = Loads * int(warp_lanes) * 2;

  /// words: Stages * stage_words of this warp, at a multiple of 16 bytes.
  ONEFOLD_DEVICE explicit row_ring(std::int64_t* words)
      : words_(words + lane_index() * 2), first_(int(lane_index()) * items) {}

  /// Begins to copy what a stage shall hold, as the last of Stages - 1 on their way: the
  /// vectors that have elements of from[0 … count - 1], all of them in the array, …
  ONEFOLD_DEVICE void request(const T* from, int count) {
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    const int left = int(address % 16 / sizeof(T)) + count - first_;
    const T* const aligned = reinterpret_cast<const T*>(address / 16 * 16) + first_;
    ONEFOLD_UNROLL
    for (int i = 0; i < Loads; ++i)
      if (i * apart < left) begin_copy(words_ + put_ + i * apart_words, aligned + i * apart);
    end();
  }
  /// … or of a piece anywhere, at most a stage from `before` on.
  ONEFOLD_DEVICE void request(const row_reader<Terms>& reader, const row_piece<T>& piece) {
    if (piece.count > 0 && reader.holds_vectors(piece)) return request(piece.first, piece.count);
    ONEFOLD_ROLLED
    for (int i = 0; i < Loads && piece.count > 0; ++i) {
      const uint4 v = reader.load(piece, first_ - piece.before + i * apart);
      std::int64_t* const to = words_ + put_ + i * apart_words;
      to[0] = std::int64_t(std::uint64_t(v.y) << 32 | v.x);
      to[1] = std::int64_t(std::uint64_t(v.w) << 32 | v.z);
    }
    end();
  }
  /// The stage that was requested first; its predecessor is free for the next request. Every lane
  /// of the warp calls it.
  ONEFOLD_DEVICE const std::int64_t* oldest() {
    wait_for_copies<Stages - 2>();
    __syncwarp();
    const std::int64_t* const at = words_ - lane_index() * 2 + take_;
    take_ = next(take_);
    return at;
  }

 private:
  static constexpr int apart = int(warp_lanes) * items, apart_words = int(warp_lanes) * 2;
  ONEFOLD_DEVICE static int next(int at) {
    return at + stage_words == Stages * stage_words ? 0 : at + stage_words;
  }
  ONEFOLD_DEVICE void end() {
    end_copies();
    put_ = next(put_);
  }

  std::int64_t* words_;
  int first_, put_ = 0, take_ = 0;
};

}  // namespace onefold::cuda
