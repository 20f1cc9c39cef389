// SPDX-License-Identifier: Apache-2.0
#pragma once
// Short rows of any length: a warp copies many neighbouring ones to shared memory, from where a
// lane takes a row.

#include "cuda/many/row_reader.cuh"

namespace onefold::cuda {

/// The sum of a row in shared memory: its elements in turn, or as the terms will have it.
template <class Terms>
ONEFOLD_DEVICE typename Terms::sum sum_of_staged(const typename Terms::element* row, int n) {
  if constexpr (requires { Terms::sum_of_row(row, n); }) {
    return Terms::sum_of_row(row, n);
  } else {
    typename Terms::sum sum;
    for (int i = 0; i < n; ++i) Terms::add(sum, bits_at(row + i));
    return sum;
  }
}

template <class Terms>
class staged_rows {
 public:
  using T = typename Terms::element;
  static constexpr int items = vector_items<T>, loads = 4;
  static_assert(loads * items <= 64, "a lane's rows of a step have a bit each");
  static constexpr int stage_words = loads * int(warp_lanes) * 2;  ///< of 64 bits, of a warp

  /// Rows of a step: a span of them has room wherever it begins.
  ONEFOLD_HOST_DEVICE static constexpr std::int64_t step_rows(std::int64_t n) {
    const std::int64_t most = (loads * std::int64_t(warp_lanes) - 1) * items / (n > 0 ? n : 1);
    return most >= warp_lanes ? most / warp_lanes * warp_lanes : most;
  }

  ONEFOLD_DEVICE staged_rows(const rows_arguments& a, std::int64_t* stage, std::int64_t* words)
      : a_(a), reader_(a.of), stage_(stage), words_(words) {}

  /// Steps that begin at rows first, first + stride, …: while one is added, the next is on its way.
  /// No load is while answers are summed again: it would have to wait for a place.
  ONEFOLD_DEVICE void take(std::int64_t first, std::int64_t stride) const {
    ONEFOLD_ROLLED
    while (first < a_.of.answers()) {
      uint4 v[loads];
      load(first, v);
      std::uint64_t undecided;
      ONEFOLD_ROLLED
      do {
        __syncwarp();
        put(v);
        __syncwarp();
        if (first + stride < a_.of.answers()) load(first + stride, v);
        undecided = add(first);
        first += stride;
      } while (!any_lane(undecided != 0) && first < a_.of.answers());
      redo(first - stride, undecided);
    }
  }

 private:
  ONEFOLD_DEVICE row_piece<T> span(std::int64_t first) const {
    return reader_.rows(first, int(min(step_rows(a_.of.n), a_.of.answers() - first)));
  }
  ONEFOLD_DEVICE void load(std::int64_t first, uint4 (&v)[loads]) const {
    const row_piece<T> rows = span(first);
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i)
      v[i] = reader_.load(rows, (i * int(warp_lanes) + int(lane_index())) * items - rows.before);
  }
  ONEFOLD_DEVICE void put(const uint4 (&v)[loads]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) {
      std::int64_t* const to = stage_ + (i * int(warp_lanes) + int(lane_index())) * 2;
      to[0] = std::int64_t(std::uint64_t(v[i].y) << 32 | v[i].x);
      to[1] = std::int64_t(std::uint64_t(v[i].w) << 32 | v[i].z);
    }
  }
  // Writes the answers of every 32nd row; a bit for each that is undecided.
  ONEFOLD_DEVICE std::uint64_t add(std::int64_t first) const {
    const row_piece<T> rows = span(first);
    const int n = int(a_.of.n), count = int(min(step_rows(n), a_.of.answers() - first));
    const T* const staged = reinterpret_cast<const T*>(stage_) + rows.before;
    std::uint64_t undecided = 0, bit = 1;
    ONEFOLD_ROLLED
    for (int row = int(lane_index()); row < count; row += int(warp_lanes), bit *= 2) {
      const auto sum = sum_of_staged<Terms>(staged + row * n, n);
      if (!write_answer(sum, a_.of.form, a_.of.out, first + row)) undecided |= bit;
    }
    return undecided;
  }
  ONEFOLD_DEVICE void redo(std::int64_t first, std::uint64_t undecided) const {
    if constexpr (Terms::digits > 0) {
      ONEFOLD_ROLLED
      for (; any_lane(undecided != 0); undecided >>= 1, first += warp_lanes)
        redo_answers<Terms>(a_.of, (undecided & 1) != 0, first + lane_index(), words_);
    }
  }

  const rows_arguments& a_;
  row_reader<Terms> reader_;
  std::int64_t *stage_, *words_;
};

}  // namespace onefold::cuda
