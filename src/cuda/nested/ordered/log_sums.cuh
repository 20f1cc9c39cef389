// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of general strided layouts: of floats the CPU's operations in the CPU's
// order, so the CPU's bits (docs/numerics/logsumexp.md); within a chunk of integers order does not
// matter. The tree above the chunks is the host's. A chunk is read twice: for its largest element,
// and for the sums.

#include "cuda/nested/folds.cuh"
#include "cuda/nested/ordered/chunk_rows.cuh"
#include "cuda/nested/ordered/exponential_lanes.cuh"
#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/nested/ordered/log_rows.cuh"
#include "cuda/nested/ordered/short_log_rows.cuh"
#include "cuda/parts/exponential.cuh"

namespace onefold::cuda {

/// Where a double is in the order of its type; -0 just before +0. It is its own inverse.
ONEFOLD_DEVICE std::int64_t place_of_double(std::int64_t bits) {
  return bits ^ (bits >> 63 & 0x7FFFFFFFFFFFFFFF);
}

/// The place of the largest element that is no NaN, and how many NaNs there are.
struct rows_top {
  static constexpr std::int64_t infinity = 0x7FF0000000000000;
  std::int64_t largest = ~infinity, nans = 0;  // the place of -Inf

  ONEFOLD_DEVICE void take(double x) {
    if (x != x) return void(++nans);
    largest = max(largest, place_of_double(__builtin_bit_cast(std::int64_t, x)));
  }
  ONEFOLD_DEVICE void fold() {
    for (unsigned step = warp_lanes / 2; step > 0; step /= 2) {
      largest = max(largest, std::int64_t(__shfl_xor_sync(whole_warp, largest, step)));
      nans += __shfl_xor_sync(whole_warp, nans, step);
    }
  }
  ONEFOLD_DEVICE double value() const {
    return __builtin_bit_cast(double, place_of_double(largest));
  }
};

/// What the first reading of a chunk finds. Almost every one has no NaN and a largest element that
/// is no zero; of the others, the places are looked at.
template <class Rows>
ONEFOLD_DEVICE rows_top top_of(const Rows& rows, std::int64_t& count) {
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
  rows_top top;
  if (!any_lane(nans) && largest != 0) {
    top.largest = place_of_double(__builtin_bit_cast(std::int64_t, largest));
    return top;
  }
  auto again = rows;
  take_rows(again, [&](const double(&x)[held_items], int n) {
    ONEFOLD_ROLLED
    for (int i = 0; i < held_items; ++i)
      if (is_held(i, n)) top.take(x[i]);
  });
  top.fold();
  return top;
}

/// nested_log_sums of any elements. rings: ring_items of each warp.
template <class T>
ONEFOLD_DEVICE void log_sums_of_any(const nested_request& of, std::int64_t* words, double* rings,
                                    const term_powers& powers, held_log_sums& held) {
  constexpr unsigned warps = nested_threads / warp_lanes;
  const unsigned warp = threadIdx.x / warp_lanes;
  const std::int64_t all = of.outputs * of.pieces, step = std::int64_t(gridDim.x) * warps;
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + warp; k < all; k += step) {
    const nest_piece piece(of, k);
    chunk_rows rows(of, piece, rings + warp * ring_items);
    std::int64_t count;
    const rows_top top = top_of(rows, count);
    const bool infinite = top.largest == rows_top::infinity;
    const bool none = infinite || top.largest == ~rows_top::infinity;
    exponential::scaled_sum found = {0, 0};
    if (!none) {
      const chunk_exponentials<T> exponentials(top.value(), powers);
      exponential_lanes<T> lanes(exponentials);
      take_rows(rows, [&](const double(&x)[held_items], int n) { lanes.template take<4>(x, n); });
      found = exponentials.scaled(lanes.folded());
    }
    if (of.finish.size > 0) {
      held.take({top.nans, found.shift, found.sum, infinite}, of.first_output + k);
      continue;
    }
    if (lane_index() != 0) continue;
    std::int64_t* const to = words + k * of.state_words;
    to[0] = word_of_number(found.shift), to[1] = word_of_number(found.sum);
    to[2] = top.nans, to[3] = infinite, to[4] = count;
  }
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
  held_log_sums held(of);
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
  constexpr unsigned warps = nested_threads / warp_lanes;
  __shared__ std::uint64_t table[exponential::fixed_count];
  write_fixed_exponentials(table, std::make_integer_sequence<int, exponential::fixed_count>());
  __syncthreads();
  const std::int64_t all = of.outputs * of.pieces, step = std::int64_t(gridDim.x) * warps;
  const unsigned warp = threadIdx.x / warp_lanes;
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + warp; k < all; k += step) {
    const nest_piece piece(of, k);
    any_largest largest(of);
    take_piece(of, piece, lane_index(), warp_lanes, largest);
    fold_warp(largest);
    largest.spread();
    any_exponentials sum(largest, table);
    take_piece(of, piece, lane_index(), warp_lanes, sum);
    fold_warp(sum);
    if (lane_index() != 0) continue;
    std::int64_t* const to = words + k * of.state_words;
    to[0] = word_of_number(largest.value()), to[1] = word_of_number(sum.value());
    to[2] = to[3] = 0, to[4] = largest.count();
  }
}

}  // namespace folds
}  // namespace onefold::cuda
