// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where rows lie, and loads of them: every load is of an aligned vector; what it has of the
// neighbouring rows is replaced.

#include "cuda/kernels/batched/batched_answers.cuh"

namespace onefold::cuda {

struct rows_arguments {
  batched_arguments batch;
  unsigned group;           ///< lanes of a row, a power of two
  int rows;                 ///< of a step of a warp, by way of shared memory; 0: by registers
  bool aligned;             ///< rows are whole vectors at multiples of 16 bytes
  int vectors = 0;          ///< of a lane and row, by registers; 0: any; across: 1, 2 or 4
  int tile = 0;             ///< elements of a row that a step of tiled_rows takes, at most n
  quotient_bounds by = {};  ///< quotient_by(batch.n)
};

/// Whether elements and answers begin at multiples of 16 bytes.
ONEFOLD_DEVICE bool are_vectors(const batched_arguments& a) {
  return (reinterpret_cast<std::uintptr_t>(a.x) | reinterpret_cast<std::uintptr_t>(a.out)) % 16 ==
         0;
}

/// A row or a part of one. Elements are counted from its first one.
template <class T>
struct row_piece {
  const T* first;
  int count;
  int before;  ///< elements between the aligned address at or before the first and it
};

template <class Terms>
class row_reader {
 public:
  using T = typename Terms::element;
  static constexpr int items = vector_items<T>;

  ONEFOLD_DEVICE explicit row_reader(const batched_arguments& a)
      : a_(a), x_(static_cast<const T*>(a.x)), end_(x_ + a.across * a.answers() * a.n) {}

  /// Part q % parts of row q / parts; nothing past the last one.
  ONEFOLD_DEVICE row_piece<T> piece(std::int64_t q) const {
    if (q >= a_.answers() * a_.parts) return {x_, 0, 0};
    if (a_.parts == 1) return at(q * a_.n, int(a_.n));
    const std::int64_t row = q / a_.parts, begin = (q - row * a_.parts) * a_.part;
    return at(row * a_.n + begin, int(min(a_.part, a_.n - begin)));
  }

  /// Rows first … first + count - 1, of all blocks across, as if they were one.
  ONEFOLD_DEVICE row_piece<T> rows(std::int64_t first, int count) const {
    return at(first * a_.n, count * int(a_.n));
  }

  /// Elements first … first + count - 1 of a piece.
  ONEFOLD_DEVICE static row_piece<T> part_of(const row_piece<T>& row, int first, int count) {
    const T* const at = row.first + first;
    return {at, count, int(reinterpret_cast<std::uintptr_t>(at) % 16 / sizeof(T))};
  }

  /// Whether all vectors that a piece has elements of lie in the array.
  ONEFOLD_DEVICE bool holds_vectors(const row_piece<T>& row) const {
    const T* const from = row.first - row.before;
    const unsigned end = unsigned(row.before + row.count + items - 1) / items * items;
    return from >= x_ && from + end <= end_;
  }

  /// A vector that adds nothing.
  ONEFOLD_DEVICE static uint4 nothing() { return make_uint4(even, odd, even, odd); }

  ONEFOLD_DEVICE static vector_of<T> no_items() {
    if constexpr (sizeof(T) == 8)
      return {std::uint64_t(Terms::pad), std::uint64_t(Terms::pad)};
    else
      return nothing();
  }

  /// The vector that begins at element `first` of a piece, with neighbours as they are.
  ONEFOLD_DEVICE uint4 load(const row_piece<T>& row, int first) const {
    if (first >= row.count) return nothing();
    const T* const at = row.first + first;
    if ((first >= 0 || at >= x_) && (first + items <= row.count || at + items <= end_))
      return load_vector(at);
    return load_some(at, max(0, -first), min(items, row.count - first));
  }
  /// The same with -0 or 0 in place of neighbours.
  ONEFOLD_DEVICE static uint4 without_neighbours(const uint4& v, const row_piece<T>& row,
                                                 int first) {
    if (first >= 0 && first + items <= row.count) return v;
    const int from = -first * int(sizeof(T)), to = (row.count - first) * int(sizeof(T));
    return make_uint4(kept(v.x, even, from, to), kept(v.y, odd, from - 4, to - 4),
                      kept(v.z, even, from - 8, to - 8), kept(v.w, odd, from - 12, to - 12));
  }

 private:
  // The words of a vector of elements that add nothing: the first of a pair, and the second.
  static constexpr std::uint32_t even = sizeof(T) == 2   ? std::uint32_t(Terms::pad) * 0x10001u
                                        : sizeof(T) == 4 ? std::uint32_t(Terms::pad)
                                                         : 0;
  static constexpr std::uint32_t odd =
      sizeof(T) == 8 ? std::uint32_t(std::uint64_t(Terms::pad) >> 32) : even;

  ONEFOLD_DEVICE row_piece<T> at(std::int64_t begin, int count) const {
    const T* const first = x_ + begin;
    return {first, count, int(reinterpret_cast<std::uintptr_t>(first) % 16 / sizeof(T))};
  }
  // Elements from … to - 1 of a vector, of which others may lie outside of the array.
  ONEFOLD_DEVICE static uint4 load_some(const T* at, int from, int to) {
    std::uint32_t words[4] = {0, 0, 0, 0};
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) {
      if (i < from || i >= to) continue;
      const int byte = i * int(sizeof(T));
      const auto bits = bits_at(at + i);
      words[byte / 4] |= std::uint32_t(bits) << 8 * (byte % 4);
      if constexpr (sizeof(T) == 8) words[byte / 4 + 1] = std::uint32_t(bits >> 32);
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
  }
  ONEFOLD_DEVICE static std::uint32_t bytes_below(int end) {
    return end <= 0 ? 0 : end >= 4 ? 0xFFFFFFFF : (1u << 8 * end) - 1;
  }
  // The bytes from … to - 1 of a word, and others of a second one.
  ONEFOLD_DEVICE static std::uint32_t kept(std::uint32_t word, std::uint32_t pad, int from,
                                           int to) {
    const std::uint32_t mask = bytes_below(to) & ~bytes_below(from);
    return (word & mask) | (pad & ~mask);
  }

  const batched_arguments& a_;
  const T *x_, *end_;
};

}  // namespace onefold::cuda
