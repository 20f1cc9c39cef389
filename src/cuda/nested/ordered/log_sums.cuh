// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of general strided layouts: of floats the CPU's operations in the CPU's
// order, so the CPU's bits (docs/numerics/logsumexp.md); within a chunk of integers order does not
// matter. The tree above the chunks is the host's. A chunk is read twice: for its largest element,
// and for the sums.

#include "cuda/nested/folds.cuh"
#include "cuda/nested/ordered/chunk_rows.cuh"
#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/nested/ordered/log_rows.cuh"
#include "cuda/nested/ordered/short_log_rows.cuh"
#include "cuda/parts/exponential.cuh"

namespace onefold::cuda {

/// What the first reading of a chunk finds. Almost every one has no NaN and a largest element that
/// is no zero; of the others, the places are looked at.
template <class Rows>
ONEFOLD_DEVICE chunk_top<double> top_of(const Rows& rows, std::int64_t& count) {
  double largest = -INFINITY;
  bool nans = false;
  auto first = rows;
  count = take_rows(first, [&](const double(&x)[held_items], int n) {
    ONEFOLD_UNROLL
    for (int i = 0; i < held_items; ++i) {
      if (!is_held(i, n)) continue;
      nans |= x[i] != x[i];
      largest = x[i] > largest ? x[i] : largest;
    }
  });
  ONEFOLD_UNROLL
  for (unsigned step = warp_lanes / 2; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(whole_warp, largest, step);
    largest = other > largest ? other : largest;
  }
  chunk_top<double> top;
  if (!any_lane(nans) && largest != 0) {
    top.largest = folds::place_of<double>(detail::to_bits(largest));
    return top;
  }
  auto again = rows;
  take_rows(again, [&](const double(&x)[held_items], int n) {
    ONEFOLD_ROLLED
    for (int i = 0; i < held_items; ++i)
      if (is_held(i, n)) top.take(detail::to_bits(x[i]));
  });
  top.fold();
  return top;
}

/// nested_log_sums of any elements. rings: ring_items of each warp.
template <class T>
ONEFOLD_DEVICE void log_sums_of_any(const nested_request& of, std::int64_t* words, double* rings,
                                    const term_powers& powers, held_log_sums& held) {
  double* const ring = rings + threadIdx.x / warp_lanes * ring_items;
  for_each_piece(of, [&](const nest_piece& piece, std::int64_t k) {
    chunk_rows rows(of, piece, ring);
    std::int64_t count;
    const chunk_top<double> top = top_of(rows, count);
    exponential::scaled_sum found = {0, 0};
    if (!top.none()) {
      const chunk_exponentials<T> exponentials(top.value(), powers);
      exponential_lanes<T> lanes(exponentials);
      take_rows(rows, [&](const double(&x)[held_items], int n) { lanes.template take<4>(x, n); });
      found = exponentials.scaled(lanes.folded());
    }
    write_chunk(of, {top.nans, found.shift, found.sum, top.infinite()}, count, k, words, held);
  });
}

/// nested_log_sums of rows of T, if those are the elements.
template <class T>
ONEFOLD_DEVICE bool are_taken_as_rows(const nested_request& of, std::int64_t* words,
                                      const term_powers& powers, held_log_sums& held) {
  if ((of.input == dtype::f64) != (sizeof(T) == 8) || !are_log_sum_rows<T>(of)) return false;
  log_sums_of_rows<T>(of, words, powers, held);
  return true;
}

/// Shape:  floats of a request's answers, >= 0 of them, in chunks; words[outputs][pieces]
///         [state_words]: the words of log_sum_chunks and a count, or answers, each one piece;
///         block of nested_threads, any grid.
/// Error:  docs/numerics/logsumexp.md.
/// Order:  the CPU's: the bits of its sums of chunks, in any grid.
static __global__ void __launch_bounds__(nested_threads, 4)
    nested_log_sums(ONEFOLD_KERNEL_ARGUMENT nested_request of, std::int64_t* words) {
  __shared__ double rings[nested_threads / warp_lanes * ring_items];
  __shared__ term_powers powers;
  write_term_powers(powers);
  __syncthreads();
  if (has_short_rows(of)) return log_sums_of_short_rows<double>(of, words);
  held_log_sums held({of.finish});
  const bool taken = are_taken_as_rows<double>(of, words, powers, held) ||
                     are_taken_as_rows<float>(of, words, powers, held) ||
                     are_taken_as_rows<f16>(of, words, powers, held) ||
                     are_taken_as_rows<bf16>(of, words, powers, held);
  if (!taken && of.input == dtype::f64)
    log_sums_of_any<double>(of, words, rings, powers, held);
  else if (!taken)
    log_sums_of_any<float>(of, words, rings, powers, held);
  held.finish();
}

namespace folds {

/// The place of the largest element of a piece.
class any_largest {
 public:
  static constexpr bool pairs = false;
  static constexpr int partial_words = 2;

  ONEFOLD_DEVICE explicit any_largest(const nested_request& of) : kind_(of.x_kind) {}

  ONEFOLD_DEVICE void take(std::uint64_t raw, std::uint64_t, std::int64_t) {
    place_ = max(place_, any_place(raw, kind_));
    ++count_;
  }
  ONEFOLD_DEVICE void store(std::int64_t* to) const { to[0] = place_, to[1] = count_; }
  ONEFOLD_DEVICE void merge(const std::int64_t* from) {
    place_ = max(place_, from[0]);
    count_ += from[1];
  }
  ONEFOLD_DEVICE void spread() {
    place_ = __shfl_sync(whole_warp, place_, 0);
    count_ = __shfl_sync(whole_warp, count_, 0);
  }
  ONEFOLD_DEVICE std::int64_t count() const { return count_; }
  ONEFOLD_DEVICE double value() const { return number_at(place_); }

  /// How far an element lies below, in steps of one; 255 is far enough. Between doubles where an
  /// integer may be none.
  ONEFOLD_DEVICE unsigned steps_below(std::uint64_t raw) const {
    const std::int64_t place = any_place(raw, kind_);
    if (kind_.bytes < 8) return unsigned(min(place_ - place, std::int64_t(255)));
    const double apart = number_at(place_) - number_at(place);
    return apart < 255 ? unsigned(apart) : 255u;
  }

 private:
  ONEFOLD_DEVICE double number_at(std::int64_t place) const {
    if (kind_.type != dtype::u64) return double(place);
    return double(std::uint64_t(place) ^ std::uint64_t(1) << 63);
  }

  element_kind kind_;
  std::int64_t place_ = ~std::int64_t(0x7FFFFFFFFFFFFFFF), count_ = 0;
};

/// The fixed-point numbers of a piece, in halves.
class any_exponentials {
 public:
  static constexpr bool pairs = false;
  static constexpr int partial_words = 2;

  ONEFOLD_DEVICE any_exponentials(const any_largest& largest, const std::uint64_t* table)
      : largest_(largest), table_(table) {}

  ONEFOLD_DEVICE void take(std::uint64_t raw, std::uint64_t, std::int64_t) {
    const unsigned steps = largest_.steps_below(raw);
    const std::uint64_t number = steps < exponential::fixed_count ? table_[steps] : 0;
    high_ += number >> 32, low_ += number & 0xFFFFFFFF;
  }
  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    to[0] = std::int64_t(high_), to[1] = std::int64_t(low_);
  }
  ONEFOLD_DEVICE void merge(const std::int64_t* from) {
    high_ += std::uint64_t(from[0]), low_ += std::uint64_t(from[1]);
  }
  ONEFOLD_DEVICE double value() const { return double(high_) * 0x1p-31 + double(low_) * 0x1p-63; }

 private:
  const any_largest& largest_;
  const std::uint64_t* table_;
  std::uint64_t high_ = 0, low_ = 0;
};

/// Shape:  as nested_log_sums, of integers.
/// Error:  docs/numerics/logsumexp.md.
/// Order:  none within a chunk: the bits of the CPU's sums of chunks, in any grid.
static __global__ void __launch_bounds__(nested_threads)
    nested_integer_log_sums(const nested_request of, std::int64_t* words) {
  __shared__ std::uint64_t table[exponential::fixed_count];
  write_fixed_exponentials(table, std::make_integer_sequence<int, exponential::fixed_count>());
  __syncthreads();
  for_each_piece(of, [&](const nest_piece& piece, std::int64_t k) {
    any_largest largest(of);
    take_piece(of, piece, lane_index(), warp_lanes, largest);
    fold_warp(largest);
    largest.spread();
    any_exponentials sum(largest, table);
    take_piece(of, piece, lane_index(), warp_lanes, sum);
    fold_warp(sum);
    if (lane_index() == 0)
      write_chunk_words({0, largest.value(), sum.value()}, largest.count(),
                        words + k * of.state_words);
  });
}

}  // namespace folds
}  // namespace onefold::cuda
