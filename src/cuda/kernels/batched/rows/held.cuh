// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of whole vectors in registers: a group of 2^k lanes takes a row, Vectors of it a lane, and
// as many rows at a time as make held_loads. While the sums of one step are joined and written,
// the next vectors are on their way.

#include "cuda/kernels/batched/rows/reader.cuh"

namespace onefold::cuda {

/// Loads of a lane on their way. Narrow integers have so little to be computed that more warps do
/// as well.
template <class Terms>
inline constexpr int held_loads = sizeof(typename Terms::element) == 8 || !Terms::counts_integers
                                      ? 8
                                      : 4;

/// Group: the lanes of a row, or 0: any number. A row of one vector a lane fills them. Rows with
/// all loads of a lane may take several steps.
template <class Terms, int Vectors, int Group>
class held_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::short_sum;
  static constexpr int ahead = held_loads<Terms>, rows = ahead / Vectors;

  ONEFOLD_DEVICE held_rows(const rows_arguments& a, std::int64_t* words)
      : a_(a), words_(words), row_(int(lane_index()) >> log2_group()),
        in_row_((int(lane_index()) & (group() - 1)) * items), kept_(kept_of()) {}

  /// Steps first, first + stride, …  No load is on its way while answers are summed again: it would
  /// have to wait for a place.
  template <bool Plain>
  ONEFOLD_DEVICE void take(std::int64_t first, std::int64_t stride) const {
    ONEFOLD_ROLLED
    while (first < a_.batch.answers()) {
      vector_of<T> v[ahead];
      load(first, 0, v);
      unsigned ambiguous;
      ONEFOLD_ROLLED
      do {
        sum sums[rows];
        add_rows(first, stride, v, sums);
        join(sums);
        ambiguous = rows_from(first) == rows * rows_apart() ? write<Plain, true>(first, sums)
                                                            : write<Plain, false>(first, sums);
        first += stride;
      } while (!any_lane(ambiguous != 0) && first < a_.batch.answers());
      if constexpr (Terms::digits > 0)
        if (any_lane(ambiguous != 0)) fallback(first - stride, ambiguous);
    }
  }

 private:
  static constexpr int items = vector_items<T>;
  static constexpr bool full = Vectors == 1, one_step = rows > 1;

  ONEFOLD_DEVICE int group() const { return Group > 0 ? Group : int(a_.group); }
  ONEFOLD_DEVICE int log2_group() const { return __ffs(group()) - 1; }
  ONEFOLD_DEVICE int rows_apart() const { return int(warp_lanes) >> log2_group(); }
  ONEFOLD_DEVICE int row_items() const { return full ? Group * items : int(a_.batch.n); }

  // Adds the rows of a step, and begins the loads of the next one.
  ONEFOLD_DEVICE void add_rows(std::int64_t first, std::int64_t stride, vector_of<T> (&v)[ahead],
                               sum (&sums)[rows]) const {
    if constexpr (one_step) {
      add(v, sums);
      return load(first + stride, 0, v);
    }
    const int step = group() * (Vectors * items);
    ONEFOLD_ROLLED
    for (int at = step;; at += step) {
      add(v, sums);
      const bool more = at < int(a_.batch.n);
      load(more ? first : first + stride, more ? at : 0, v);
      if (!more) break;
    }
  }
  ONEFOLD_DEVICE static void add(const vector_of<T> (&v)[ahead], sum (&sums)[rows]) {
    constexpr int most = sum::parts < 3 ? 4 : 2;
    constexpr int chains = rows < most ? most / rows : 1;
    ONEFOLD_UNROLL
    for (int row = 0; row < rows; ++row) {
      sum made[chains];
      ONEFOLD_UNROLL
      for (int i = 0; i < chains; ++i) Terms::begin_vector(made[i], v[row * Vectors + i]);
      ONEFOLD_UNROLL
      for (int i = chains; i < Vectors; ++i)
        Terms::add_vector(made[i % chains], v[row * Vectors + i]);
      ONEFOLD_UNROLL
      for (int half = chains / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i) made[i].join(made[i + half]);
      if constexpr (one_step)
        sums[row] = made[0];
      else
        sums[row].join(made[0]);
    }
  }

  // The vectors from element `at` of these rows on.
  ONEFOLD_DEVICE void load(std::int64_t first, int at, vector_of<T> (&v)[ahead]) const {
    const int n = row_items(), apart = group() * items;
    const T* const x = static_cast<const T*>(a_.batch.x) + ((first + row_) * n + at + in_row_);
    const int end = rows_from(first);
    if (full && end == rows * rows_apart()) {
      ONEFOLD_UNROLL
      for (int i = 0; i < ahead; ++i) v[i] = load_items(x + i * rows_apart() * n);
      return;
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < ahead; ++i) {
      const int row = i / Vectors * rows_apart(), place = i % Vectors * apart;
      v[i] = row_reader<Terms>::no_items();
      if (row_ + row < end && (full || at + in_row_ + place < n))
        v[i] = load_items(x + (row * n + place));
    }
  }
  // How many rows of a step there are.
  ONEFOLD_DEVICE int rows_from(std::int64_t first) const {
    const std::int64_t left = a_.batch.answers() - first;
    return left < rows * rows_apart() ? int(left) : rows * rows_apart();
  }

  // Lanes meet that are half a group apart, then a quarter. Each of a pair keeps one half of the
  // sums and gives the other away, while it has more than one.
  template <int Count>
  ONEFOLD_DEVICE void halve(sum (&sums)[rows], int mask) const {
    if constexpr (Count > 0) {
      if (mask == 0) return;
      const bool upper = (int(lane_index()) & mask) != 0;
      ONEFOLD_UNROLL
      for (int i = 0; i < Count; ++i) {
        const sum given = upper ? sums[i] : sums[i + Count];
        if (upper) sums[i] = sums[i + Count];
        sums[i].join(sum_across(given, mask));
      }
      halve<Count / 2>(sums, mask / 2);
    }
  }
  ONEFOLD_DEVICE void join(sum (&sums)[rows]) const {
    halve<rows / 2>(sums, group() / 2);
    if constexpr (Group > 0) {
      ONEFOLD_UNROLL
      for (int mask = Group / (2 * rows); mask > 0; mask /= 2)
        sums[0].join(sum_across(sums[0], mask));
    } else {
      ONEFOLD_ROLLED
      for (int mask = group() / (2 * rows); mask > 0; mask /= 2)
        sums[0].join(sum_across(sums[0], mask));
    }
  }

  // How many answers of a step this lane has when they are shared, and the first one's row.
  ONEFOLD_DEVICE int rows_of_lane() const {
    if (group() <= rows) return rows >> log2_group();
    return (int(lane_index()) & (group() / rows - 1)) == 0 ? 1 : 0;
  }
  ONEFOLD_DEVICE int kept_of() const {
    int row = 0;
    ONEFOLD_UNROLL
    for (int half = rows / 2, mask = group() / 2; half > 0; half /= 2, mask /= 2)
      if ((int(lane_index()) & mask) != 0) row += half;
    return row * rows_apart() + row_;
  }

  // Writes the answers; a bit for each that is ambiguous.
  template <bool Plain, bool All>
  ONEFOLD_DEVICE unsigned write(std::int64_t first, const sum (&sums)[rows]) const {
    const std::int64_t k = first + kept_;
    unsigned ambiguous = 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < rows; ++i) {
      const int later = i * rows_apart();
      if (i < rows_of_lane() && (All || k + later < a_.batch.answers()) &&
          !write_row<Terms, Plain>(sums[i], a_.batch, a_.by, k + later))
        ambiguous |= 1u << i;
    }
    return ambiguous;
  }
  ONEFOLD_DEVICE void fallback(std::int64_t first, unsigned ambiguous) const {
    ONEFOLD_ROLLED
    for (int i = 0; i < rows; ++i)
      fallback_answers<Terms>(a_.batch, (ambiguous >> i & 1) != 0, first + kept_ + i * rows_apart(),
                              words_);
  }

  const rows_arguments& a_;
  std::int64_t* words_;
  int row_, in_row_, kept_;  // this lane's row and its first element there; its first answer's row
};

}  // namespace onefold::cuda
