// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of which a vector of 16 bytes holds several whole ones, straight from memory to registers: a
// lane takes vectors, and the answers of a vector's rows are written as one piece.

#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"
#include "cuda/rounding/plain_answer.cuh"

namespace onefold::cuda {

/// The words of several rows' answers, or as many of them as 16 bytes hold.
template <class Word, int Count>
struct alignas(Count * sizeof(Word) < 16 ? Count * sizeof(Word) : 16) packed_words {
  Word bits[Count];
};

/// Vectors of a lane on their way: of narrow elements half as many, as each takes more code.
template <class T>
inline constexpr int packed_ahead = sizeof(T) < 4 ? 4 : 8;

/// `count` rows from x on, a multiple of 16 bytes, one directly after the other, Rows of a vector.
/// Ahead: vectors of a lane on their way.
template <int Rows, int Ahead>
class packed_vectors {
 public:
  static constexpr int step = Ahead * int(warp_lanes);  ///< vectors of a warp
  static_assert(1 < Rows && Rows <= 8);

  ONEFOLD_DEVICE packed_vectors(const void* x, std::int64_t count)
      : x_(static_cast<const std::byte*>(x)), count_(count), vectors_(count / Rows) {}

  /// Whether a step begins with a vector that is there.
  ONEFOLD_DEVICE bool has(std::int64_t first) const { return first < vectors_; }

  /// Vectors first … first + step - 1, those `apart` after them, and so on. Every lane calls
  /// take(vector, its number, whether it is there, i) for each i < Ahead and goes_on(first) after
  /// each step. Returns the vector to continue with where that is false, else one that is not
  /// there.
  template <class Take, class Continue>
  ONEFOLD_DEVICE std::int64_t take(std::int64_t first, std::int64_t apart, const Take& take_vector,
                                   const Continue& goes_on) const {
    uint4 v[Ahead];
    int left = left_from(first);
    ONEFOLD_UNROLL
    for (int i = 0; i < Ahead; ++i) v[i] = load(first, left, i);
    ONEFOLD_ROLLED
    while (has(first)) {
      const std::int64_t now = first;
      const int left_now = left;
      first += apart, left = left_from(first);
      ONEFOLD_UNROLL
      for (int i = 0; i < Ahead; ++i) {
        const uint4 own = v[i];
        v[i] = load(first, left, i);
        take_vector(own, place(now, i), i * int(warp_lanes) < left_now, i);
      }
      if (!goes_on(now)) break;
    }
    return first;
  }

  /// Each row after the last whole vector, a lane a row: take(vector that begins with it, its
  /// number, whether it is there).
  template <class Take>
  ONEFOLD_DEVICE void take_rest(const Take& take_row) const {
    using word = std::conditional_t<Rows == 2, std::uint64_t,
                                    std::conditional_t<Rows == 4, std::uint32_t, std::uint16_t>>;
    const std::int64_t k = vectors_ * Rows + lane_index();
    const bool there = k < count_;
    const std::uint64_t row = there ? reinterpret_cast<const word*>(x_)[k] : 0;
    take_row(make_uint4(unsigned(row), unsigned(row >> 32), 0, 0), k, there);
  }

 private:
  ONEFOLD_DEVICE static std::int64_t place(std::int64_t first, int i) {
    return first + lane_index() + i * int(warp_lanes);
  }
  // Of a step's vectors, those from this lane's first one on.
  ONEFOLD_DEVICE int left_from(std::int64_t first) const {
    return int(min(vectors_ - first, std::int64_t(step))) - int(lane_index());
  }
  ONEFOLD_DEVICE uint4 load(std::int64_t first, int left, int i) const {
    if (i * int(warp_lanes) >= left) return make_uint4(0, 0, 0, 0);
    return load_vector(x_ + place(first, i) * 16);
  }

  const std::byte* x_;
  std::int64_t count_, vectors_;
};

}  // namespace onefold::cuda
