// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of which a stage has room for one or more. A group of lanes takes a row: of rows that are
// whole vectors by vectors, of others by elements.

#include "cuda/kernels/batched/rows/ring.cuh"

namespace onefold::cuda {

template <class Terms>
class staged_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::short_sum;
  static constexpr int items = vector_items<T>;

  /// stages: ring_words of this warp.
  ONEFOLD_DEVICE staged_rows(const rows_arguments& a, std::int64_t* stages, std::int64_t* words)
      : a_(a), reader_(a.batch), ring_(stages), words_(words), place_(int(lane_index() % a.group)),
        row_(int(lane_index() / a.group)), rows_each_(int(warp_lanes / a.group)),
        start_(start_of(int(a.batch.n) / items)) {
    // Rows whose elements fill a vector: so far from either end whole vectors lie in the array.
    const std::int64_t apart = a.batch.n > 0 ? (items + a.batch.n - 1) / a.batch.n
                                             : a.batch.answers() + 1;  // nothing to copy
    low_ = apart, high_ = a.batch.answers() - a.rows - apart;
  }

  /// Steps that begin at rows first, first + stride, …
  template <bool Plain>
  ONEFOLD_DEVICE void take(std::int64_t first, std::int64_t stride) {
    std::int64_t ahead = first;
    ONEFOLD_ROLLED
    for (int i = 1; i < ring_stages; ++i, ahead += stride) request(ahead);
    ONEFOLD_ROLLED
    for (; first < a_.batch.answers(); first += stride, ahead += stride) {
      const std::int64_t* const stage = ring_.oldest();
      request(ahead);
      const unsigned ambiguous = add<Plain>(first, stage);
      if constexpr (Terms::digits > 0)
        if (any_lane(ambiguous != 0)) fallback(first, ambiguous);
    }
  }

 private:
  ONEFOLD_DEVICE int rows_at(std::int64_t first) const {
    return int(min(std::int64_t(a_.rows), a_.batch.answers() - first));
  }
  ONEFOLD_DEVICE void request(std::int64_t first) {
    if (low_ <= first && first <= high_)
      ring_.request(static_cast<const T*>(a_.batch.x) + first * a_.batch.n,
                    a_.rows * int(a_.batch.n));
    else
      ring_.request(reader_, reader_.rows(first, rows_at(first)));
  }

  // Writes the answers of this lane; a bit for each that is ambiguous.
  template <bool Plain>
  ONEFOLD_DEVICE unsigned add(std::int64_t first, const std::int64_t* stage) const {
    const int count = rows_at(first), n = int(a_.batch.n);
    const T* const staged = reinterpret_cast<const T*>(stage) + reader_.rows(first, 0).before;
    if (a_.group > 1) return add_shared<Plain>(first, stage, staged, count);
    if (a_.aligned)
      return add_each<Plain>(
          first, count, [&](int row) { return sum_of_vectors(stage + row * (n / items * 2)); });
    if (n == 2)
      return add_each<Plain>(first, count, [&](int row) { return sum_of_two(staged + row * 2); });
    return add_each<Plain>(first, count, [&](int row) { return sum_of_items(staged + row * n); });
  }
  // A lane a row.
  template <bool Plain, class SumOf>
  ONEFOLD_DEVICE unsigned add_each(std::int64_t first, int count, const SumOf& sum_of) const {
    unsigned ambiguous = 0, bit = 1;
    ONEFOLD_ROLLED
    for (int row = row_; row < count; row += int(warp_lanes), bit *= 2)
      if (!write<Plain>(sum_of(row), first + row)) ambiguous |= bit;
    return ambiguous;
  }
  // A group of lanes a row.
  template <bool Plain>
  ONEFOLD_DEVICE unsigned add_shared(std::int64_t first, const std::int64_t* stage, const T* staged,
                                     int count) const {
    const int n = int(a_.batch.n);
    unsigned ambiguous = 0, bit = 1;
    ONEFOLD_ROLLED
    for (int row = row_; row - row_ < count; row += rows_each_, bit *= 2) {
      sum total;
      if (row < count)
        total = a_.aligned ? sum_of_vectors(stage + row * (n / items * 2))
                           : sum_of_items(staged + row * n);
      join_group(total, a_.group);
      if (row < count && place_ == 0 && !write<Plain>(total, first + row)) ambiguous |= bit;
    }
    return ambiguous;
  }
  template <bool Plain>
  ONEFOLD_DEVICE bool write(const sum& total, std::int64_t k) const {
    return write_row<Terms, Plain>(total, a_.batch, a_.by, k);
  }
  ONEFOLD_DEVICE void fallback(std::int64_t first, unsigned ambiguous) const {
    ONEFOLD_ROLLED
    for (std::int64_t row = first + row_; any_lane(ambiguous != 0);
         ambiguous >>= 1, row += rows_each_)
      fallback_answers<Terms>(a_.batch, (ambiguous & 1) != 0, row, words_);
  }

  // Lanes whose rows begin in the same banks begin with different vectors of them.
  ONEFOLD_DEVICE int start_of(int vectors) const {
    const int turned = place_ + row_ * min(vectors & -vectors, 8) / 8 * int(a_.group);
    return turned < vectors ? turned : place_;
  }
  ONEFOLD_DEVICE sum sum_of_vectors(const std::int64_t* row) const {
    const int vectors = int(a_.batch.n) / items, group = int(a_.group);
    int at = start_;
    sum total;
    ONEFOLD_ROLLED
    for (int i = place_; i < vectors; i += group) {
      Terms::add_vector(total, load_copied<T>(row + at * 2));
      at = at + group < vectors ? at + group : place_;
    }
    return total;
  }
  ONEFOLD_DEVICE static sum sum_of_two(const T* row) {
    sum total;
    Terms::add(total, bits_at(row));
    Terms::add(total, bits_at(row + 1));
    return total;
  }
  ONEFOLD_DEVICE sum sum_of_items(const T* row) const {
    sum total;
    ONEFOLD_ROLLED
    for (int i = place_; i < int(a_.batch.n); i += int(a_.group))
      Terms::add(total, bits_at(row + i));
    return total;
  }

  const rows_arguments& a_;
  row_reader<Terms> reader_;
  row_ring<Terms> ring_;
  std::int64_t* words_;
  int place_, row_, rows_each_;  // of this lane in its row, its first row, and rows of a turn
  int start_;                    // its first vector
  std::int64_t low_, high_;      // rows at which steps of whole vectors in the array begin
};

}  // namespace onefold::cuda
