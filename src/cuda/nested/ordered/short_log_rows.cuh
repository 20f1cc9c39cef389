// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of short rows of f64, eight lanes each: what the end of a row costs, folds
// and waits, a warp pays for four as for one.

#include "cuda/nested/nest.cuh"
#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/nested/ordered/log_tiles.hpp"
#include "cuda/ordered/chunk_top.cuh"
#include "cuda/parts/lanes.cuh"
#include "cuda/parts/warp.cuh"

namespace onefold::cuda {

/// A row of contiguous elements, which is one chunk: a lane has every eighth, those of
/// eight virtual lanes.
template <class T>
class short_row {
 public:
  using bits = folds::bits_of<T>;
  static constexpr int lanes = 8, slots = int(virtual_lanes) / lanes;
  static constexpr int rows_of_warp = int(warp_lanes) / lanes;
  ONEFOLD_DEVICE static int own_lane() { return int(lane_index()) % lanes; }

  /// Precondition: has_short_rows(of), of elements of T.
  ONEFOLD_DEVICE short_row(const nested_request& of, const nest_piece& piece)
      : x_(reinterpret_cast<const T*>(of.x + piece.base.x)), count_(int(of.items)) {}

  /// Its lines come to the second cache meanwhile.
  ONEFOLD_DEVICE void ask() const {
    constexpr int line_bytes = 128;
    const auto* const from = reinterpret_cast<const std::byte*>(x_);
    ONEFOLD_ROLLED
    for (int at = own_lane() * line_bytes; at < count_ * int(sizeof(T)); at += lanes * line_bytes)
      ask_for(from + at);
  }
  ONEFOLD_DEVICE int count() const { return count_; }
  /// Precondition: count() > 0.
  ONEFOLD_DEVICE bits first() const { return bits_at(x_); }

  /// Elements of a lane that are `lanes` apart, each of another slot, the last ones of which the
  /// row may not have.
  template <bool All, int Count>
  struct batch {
    static constexpr bool all = All;
    static constexpr int count = Count;
    bits x[Count] = {};
    int left;  // of the row, from the lane's first one on

    ONEFOLD_DEVICE batch(const T* from, int more) : left(more) {
      ONEFOLD_UNROLL
      for (int i = 0; i < Count; ++i)
        if (has(i)) x[i] = bits_at(from + i * lanes);
    }
    ONEFOLD_DEVICE bool has(int i) const { return All || i * lanes < left; }
  };

  /// f(batch) of every slot, or of the lower half where the row has no more; in order.
  template <class F>
  ONEFOLD_DEVICE void for_each(const F& f) const {
    constexpr int step = int(virtual_lanes);
    const T* from = x_ + own_lane();
    int left = count_;
    ONEFOLD_ROLLED
    for (; left >= step; left -= step, from += step) f(batch<true, slots>(from, left - own_lane()));
    if (left > step / 2)
      f(batch<false, slots>(from, left - own_lane()));
    else if (left > 0)
      f(batch<false, slots / 2>(from, left - own_lane()));
  }

  /// The fold by halves of the virtual lanes, in each of the row's lanes. Every lane of the warp
  /// calls it.
  template <class Number>
  ONEFOLD_DEVICE static Number fold(Number (&sums)[slots]) {
    ONEFOLD_UNROLL
    for (int half = slots / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    ONEFOLD_UNROLL
    for (int mask = lanes / 2; mask > 0; mask /= 2)
      sums[0] += __shfl_xor_sync(whole_warp, sums[0], mask);
    return sums[0];
  }

 private:
  const T* x_;
  int count_;
};

/// f(answer or -1, row) of a warp's rows, by every lane of the warp; -1: past the last answer.
/// asks: the next rows are loaded meanwhile.
template <class T, class F>
ONEFOLD_DEVICE void for_each_short_row(const nested_request& of, bool asks, const F& f) {
  constexpr unsigned warps = nested_threads / warp_lanes;
  constexpr int at_once = short_row<T>::rows_of_warp;
  const std::int64_t step = std::int64_t(gridDim.x) * warps * at_once, last = of.outputs - 1;
  const std::int64_t warp = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes;
  std::int64_t k = warp * at_once + int(lane_index()) / short_row<T>::lanes;
  short_row<T> row(of, nest_piece(of, min(k, last)));
  ONEFOLD_ROLLED
  for (std::int64_t first = warp * at_once; first <= last; first += step, k += step) {
    const short_row<T> next(of, nest_piece(of, min(k + step, last)));
    if (asks) next.ask();
    f(k <= last ? k : -1, row);
    row = next;
  }
}

template <class T>
ONEFOLD_DEVICE chunk_top<T> top_of_short_row(short_row<T> row) {
  place_ends<T> ends;
  row.for_each([&](auto some) {
    ONEFOLD_UNROLL
    for (int i = 0; i < some.count; ++i) {
      if (!some.has(i)) continue;
      const folds::place_type<T> one = folds::place_of<T>(some.x[i]);
      ends.take({one, one});
    }
  });
  ends.template fold<row.lanes>();
  if (!any_lane(ends.have_nan())) return chunk_top<T>(ends);
  chunk_top<T> top;
  row.for_each([&](auto some) {
    ONEFOLD_ROLLED
    for (int i = 0; i < some.count; ++i)
      if (some.has(i)) top.take(some.x[i]);
  });
  top.template fold<row.lanes>();
  return top;
}

/// The sum of exp(x - largest), in each lane of the row; of no use if top.none(). The virtual lanes
/// of so few elements are one block of exponential_lanes and a row that is not whole: no sums but
/// one after the other.
template <class T>
ONEFOLD_DEVICE double sum_of_short_row(short_row<T> row, const chunk_top<T>& top) {
  double sums[row.slots] = {};
  const double largest = top.value();
  const bool near = !any_lane(!top.near);
  row.for_each([&](auto some) {
    double next[some.count];
    ONEFOLD_UNROLL
    for (int i = 0; i < some.count; ++i)
      next[i] = some.has(i) ? double_of<T>(some.x[i]) - largest : -INFINITY;
    __syncwarp();  // or the compiler computes them one by one, each a chain of latencies
    if (some.all && near)
      exponentials_of<true>(next);
    else
      exponentials_of<false>(next);
    ONEFOLD_UNROLL
    for (int i = 0; i < some.count; ++i) sums[i] += next[i];
  });
  return row.fold(sums);
}

template <class T>
ONEFOLD_DEVICE void log_sums_of_short_rows(const nested_request& of, std::int64_t* words) {
  held_log_sums held({of.finish});
  for_each_short_row<T>(of, true, [&](std::int64_t k, short_row<T> row) {
    const chunk_top<T> top = top_of_short_row(row);
    const double found = sum_of_short_row(row, top);
    const double sum = top.none() ? 0 : found, shift = top.none() ? 0 : top.value();
    const log_sum_parts parts = {top.nans, shift, sum, top.infinite()};
    if (of.finish.size > 0)
      held.template take<row.lanes>(parts, k < 0 ? k : of.first_output + k);
    else if (k >= 0 && row.own_lane() == 0)
      write_chunk_words(parts, row.count(), words + k * of.state_words);
  });
  held.template finish<short_row<T>::lanes>();
}

}  // namespace onefold::cuda
