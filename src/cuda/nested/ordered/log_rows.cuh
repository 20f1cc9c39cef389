// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of chunks of contiguous elements, a warp each. The second reading of a row
// of some KiB hits L1.

#include "cuda/nested/ordered/chunk_rows.cuh"
#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/ordered/chunk_top.cuh"
#include "cuda/parts/copy.cuh"
#include "cuda/parts/exponential_terms.cuh"

namespace onefold::cuda {

/// Two virtual lanes of a sum of exponentials: blocks of 32 rows, each summed apart, and a last row
/// that is not whole.
template <class T>
class exponential_lanes {
 public:
  using sum = exponential_sum<T>;

  ONEFOLD_DEVICE explicit exponential_lanes(const chunk_exponentials<T>& of) : of_(of) {}

  /// The next count elements, fewer than batch_items at the end alone; Each of a lane at once.
  template <int Each, int Count>
  ONEFOLD_DEVICE void take(const double (&x)[Count], int count) {
    const bool all = count == batch_items;
    const int whole = all ? Count : count / int(virtual_lanes);
    ONEFOLD_UNROLL
    for (int first = 0; first < Count; first += Each) {
      double some[Each];
      sum next[Each];
      ONEFOLD_UNROLL
      for (int i = 0; i < Each; ++i) some[i] = is_held(first + i, count) ? x[first + i] : -INFINITY;
      of_.template terms_of<false>(some, next);
      ONEFOLD_UNROLL
      for (int i = 0; i < Each; ++i) {
        if (i % 2 == 0 && (first + i) / 2 == whole) close();  // a partial row is a group of its own
        sums_[i % 2] += next[i];
      }
    }
    if (all) rows_ += held_items / 2;
    if (!all || rows_ == exponential_rows) close();
  }
  /// The next batch_items elements. Near: as terms_of.
  template <bool Near>
  ONEFOLD_DEVICE void take_batch(const double (&x)[held_items]) {
    sum next[held_items];
    of_.template terms_of<Near>(x, next);
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i) sums_[i % 2] += next[i];
    rows_ += held_items / 2;
    if (rows_ == exponential_rows) close();
  }
  ONEFOLD_DEVICE sum folded() const { return fold_rows(totals_); }

 private:
  ONEFOLD_DEVICE void close() {
    totals_[0] += sums_[0], totals_[1] += sums_[1];
    sums_[0] = sums_[1] = 0;
    rows_ = 0;
  }
  const chunk_exponentials<T>& of_;
  sum sums_[2] = {0, 0}, totals_[2] = {0, 0};
  int rows_ = 0;
};

/// Of `count` elements from x on, of which `ends` are those of this lane's.
template <class T>
ONEFOLD_DEVICE chunk_top<T> top_of_warp(place_ends<T> ends, const T* x, int count) {
  ends.fold();
  if (!ends.have_nan()) return chunk_top<T>(ends);
  chunk_top<T> top;
  ONEFOLD_ROLLED
  for (int i = int(lane_index()); i < count; i += int(warp_lanes)) top.take(bits_at(x + i));
  top.fold();
  return top;
}

/// A chunk of up to tuning::chunk_items elements. Every lane of the warp calls every member.
template <class T>
class log_sum_row {
 public:
  using bits = folds::bits_of<T>;

  ONEFOLD_DEVICE log_sum_row(const nested_request& of, const nest_piece& piece,
                             std::uint32_t own_power = 0)
      : x_(reinterpret_cast<const T*>(of.x + piece.base.x) + piece.first),
        count_(int(piece.last - piece.first)), own_power_(own_power) {}

  /// Its first lines, a lane each, come to the second cache meanwhile.
  ONEFOLD_DEVICE void ask() const {
    constexpr int line_bytes = 128;
    const int at = int(lane_index()) * line_bytes;
    if (at < count_ * int(sizeof(T))) ask_for(reinterpret_cast<const std::byte*>(x_) + at);
  }

  ONEFOLD_DEVICE chunk_top<T> top() const { return top_of_warp(ends_of_lane(), x_, count_); }

  /// The sum of its terms, in every lane. Precondition: !top.none().
  ONEFOLD_DEVICE exponential_sum<T> sum(bool near, const chunk_exponentials<T>& of) const {
    if constexpr (sizeof(T) < 8)
      return sum_of_terms(of);
    else
      return near ? sum_of<true>(of) : sum_of<false>(of);
  }

 private:
  // Whole vectors of 16 bytes from x_ on, where there are any.
  ONEFOLD_DEVICE int whole_vectors() const {
    const bool aligned = reinterpret_cast<std::uintptr_t>(x_) % 16 == 0;
    return aligned ? count_ / int(folds::vector_items<T>) : 0;
  }
  ONEFOLD_DEVICE place_ends<T> ends_of_lane() const {
    const auto* const from = reinterpret_cast<const uint4*>(x_);
    const int vectors = whole_vectors();
    vector_ends<T> some;
    ONEFOLD_UNROLL_BY_8
    for (int i = int(lane_index()); i < vectors; i += int(warp_lanes)) some.take(from[i]);
    place_ends<T> ends;
    ends.take({folds::place_type<T>(some.lowest()), folds::place_type<T>(some.highest())});
    ONEFOLD_UNROLL_BY_4
    for (int i = vectors * int(folds::vector_items<T>) + int(lane_index()); i < count_;
         i += int(warp_lanes)) {
      const folds::place_type<T> one = folds::place_of<T>(bits_at(x_ + i));
      ends.take({one, one});
    }
    return ends;
  }

  // Terms have no order.
  ONEFOLD_DEVICE std::uint64_t sum_of_terms(const chunk_exponentials<T>& of) const {
    std::uint64_t sum = 0;
    const auto* const from = reinterpret_cast<const uint4*>(x_);
    const float origin = of.scale().origin;
    const int vectors = whole_vectors() / int(warp_lanes) * int(warp_lanes);
    ONEFOLD_UNROLL_BY_4
    for (int i = 0; i < vectors; i += int(warp_lanes)) {
      const uint4 v = from[i + int(lane_index())];
      for_each_item<T>(v, v, [&](auto item, auto) {
        sum += of.warp_term_from(number_of<T>(item) - origin, own_power_);
      });
    }
    ONEFOLD_UNROLL_BY_4
    for (int i = vectors * vector_items<T> + int(lane_index()); i < count_; i += int(warp_lanes))
      sum += of.term_of(number_of<T>(bits_at(x_ + i)));
    for (unsigned step = warp_lanes / 2; step > 0; step /= 2)
      sum += __shfl_xor_sync(whole_warp, sum, step);
    return sum;
  }

  template <bool Near>
  ONEFOLD_DEVICE exponential_sum<T> sum_of(const chunk_exponentials<T>& of) const {
    exponential_lanes<T> lanes(of);
    const T* from = x_ + lane_index();
    const T* const end = from + count_ / batch_items * batch_items;
    ONEFOLD_ROLLED
    for (; from < end; from += batch_items) {
      double some[held_items];
      ONEFOLD_UNROLL
      for (int i = 0; i < held_items; ++i)
        some[i] = double_of<T>(bits_at(from + i * int(warp_lanes)));
      lanes.template take_batch<Near>(some);
    }
    const int rest = count_ % batch_items;
    if (rest > int(virtual_lanes))
      add_rest<held_items>(from, rest, lanes);
    else
      add_rest<2>(from, rest, lanes);
    return lanes.folded();
  }

  template <int Count>
  ONEFOLD_DEVICE static void add_rest(const T* from, int rest, exponential_lanes<T>& lanes) {
    double some[Count];
    ONEFOLD_UNROLL
    for (int i = 0; i < Count; ++i)
      some[i] = is_held(i, rest) ? double_of<T>(bits_at(from + i * int(warp_lanes))) : 0;
    lanes.template take<Count>(some, rest);
  }

  const T* x_;
  int count_;
  std::uint32_t own_power_;  // of term_powers
};

/// Whether a request's elements are rows of T.
template <class T>
ONEFOLD_DEVICE bool are_log_sum_rows(const nested_request& of) {
  return of.x_kind.type == dtype_of<T> && of.mask == nullptr && lies_in_line(of);
}

/// nested_log_sums of rows of T.
template <class T>
ONEFOLD_DEVICE void log_sums_of_rows(const nested_request& of, std::int64_t* words,
                                     const term_powers& powers, held_log_sums& held) {
  constexpr unsigned warps = nested_threads / warp_lanes;
  const std::int64_t all = of.outputs * of.pieces, step = std::int64_t(gridDim.x) * warps;
  std::int64_t k = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes;
  if (k >= all) return;
  nest_piece piece(of, k);
  const std::uint32_t own_power = powers.of[lane_index()];
  ONEFOLD_ROLLED
  while (k < all) {
    const nest_piece next(of, min(k + step, all - 1));
    const log_sum_row<T> row(of, piece, own_power);
    const chunk_top<T> top = row.top();
    log_sum_row<T>(of, next).ask();
    exponential::scaled_sum found = {0, 0};
    if (!top.none()) {
      const chunk_exponentials<T> exponentials(top.value(), powers);
      found = exponentials.scaled(row.sum(top.near, exponentials));
    }
    write_chunk(of, {top.nans, found.shift, found.sum, top.infinite()}, piece.last - piece.first, k,
                words, held);
    piece = next, k += step;
  }
}

}  // namespace onefold::cuda
