// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fast sums and moments of general strided layouts: the CPU's operations in the CPU's order, so the
// CPU's bits (docs/numerics/fast.md). The tree above the chunks is the host's.

#include "cuda/nested/ordered/fast_moments.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

/// Writes the sum of a chunk of lines of T, if it is one.
template <class Number, class T>
ONEFOLD_DEVICE bool write_lines(const nested_request& of, const nest_piece& piece,
                                std::int64_t* to) {
  if (!lie_in_lines<T>(of)) return false;
  const Number sum =
      sum_of_lines<Number, T>(of, piece, [&](Number x) { return term_of(of.of, x, x); });
  if (lane_index() != 0) return true;
  to[0] = word_of_number(sum);
  if (of.state_words > 1) to[1] = piece.last - piece.first, to[2] = 0;
  return true;
}

template <class Number>
ONEFOLD_DEVICE void write_sum(const nested_request& of, const nest_piece& piece, Number* ring,
                              std::int64_t* to) {
  if constexpr (sizeof(Number) == 8) {
    if (write_lines<Number, double>(of, piece, to)) return;
  } else if (write_lines<Number, float>(of, piece, to) || write_lines<Number, f16>(of, piece, to) ||
             write_lines<Number, bf16>(of, piece, to)) {
    return;
  }
  chunk_rows<Number> rows(of, piece, ring);
  std::int64_t count;
  const Number sum = sum_of_rows(
      rows, [](Number x) { return x; }, count);
  if (lane_index() == 0) to[0] = word_of_number(sum);
  if (lane_index() == 0 && of.state_words > 1) to[1] = count, to[2] = rows.dropped();
}

/// Number: the accumulator of the elements. rings: ring_items of each warp.
template <class Number>
ONEFOLD_DEVICE void write_fast_chunks(const nested_request& of, std::int64_t* words,
                                      Number* rings) {
  constexpr unsigned warps = nested_threads / warp_lanes;
  const unsigned warp = threadIdx.x / warp_lanes;
  const std::int64_t all = of.outputs * of.pieces, step = std::int64_t(gridDim.x) * warps;
  Number* const ring = rings + warp * ring_items;
  held_spreads<Number> held(of);
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + warp; k < all; k += step) {
    const nest_piece piece(of, k);
    if (of.of == accumulator::moments)
      write_moments(of, piece, ring, held, k, words + k * of.state_words);
    else
      write_sum(of, piece, ring, words + k * of.state_words);
  }
  held.finish();
}

/// Shape:  a request's answers, >= 0 of them, in chunks; words[outputs][pieces][state_words]: a
///         sum, or a mean and squares, and chunk_notes, which a sum may be without; or answers of
///         moments, each one piece; block of nested_threads, any grid.
/// Error:  docs/numerics/fast.md, Theorems F2 and F3.
/// Order:  the CPU's: the bits of its sums and moments of chunks, in any grid.
static __global__ void __launch_bounds__(nested_threads, 4)
    nested_fast(const nested_request of, std::int64_t* words) {
  constexpr int items = nested_threads / warp_lanes * ring_items;
  alignas(8) __shared__ std::byte rings[items * sizeof(double)];
  const bool narrow = of.input == dtype::f32 || of.input == dtype::f16 || of.input == dtype::bf16;
  if (narrow)
    write_fast_chunks(of, words, reinterpret_cast<float*>(rings));
  else
    write_fast_chunks(of, words, reinterpret_cast<double*>(rings));
}

/// The groups of a band of columns.
class band_groups {
 public:
  static constexpr int rows = int(tuning::group_rows);

  ONEFOLD_DEVICE band_groups(const nested_request& of, std::int64_t band)
      : extent_(of.axes.axis[of.axes.all - 1].extent) {
    const std::int64_t a_pass = (extent_ - 1) / rows + 1, first = band * tuning::band_groups;
    const std::int64_t pass = quotient(first, a_pass);
    row_ = (first - pass * a_pass) * rows;
    at_ = pass * extent_ + row_;
    groups_ = int(min(tuning::band_groups, quotient(of.items, extent_) * a_pass - first));
  }

  /// f(first element, elements) of each group, in order.
  template <class F>
  ONEFOLD_DEVICE void for_each(const F& f) {
    ONEFOLD_ROLLED
    for (; groups_ > 0; --groups_) {
      const int n = int(min(extent_ - row_, std::int64_t(rows)));
      f(at_, n);
      at_ += n, row_ += n;
      if (row_ == extent_) row_ = 0;
    }
  }

 private:
  std::int64_t extent_, at_, row_;  // rows are of an index of the outer reduced axes
  int groups_;
};

/// The sum of a band of an answer, and how many elements it has.
template <class Number>
ONEFOLD_DEVICE Number band_sum(const nested_request& of, const nest_piece& piece, std::int64_t band,
                               std::int64_t& count) {
  Number sum = Number(-0.0);
  count = 0;
  band_groups(of, band).for_each([&](std::int64_t first, int n) {
    Number terms[band_groups::rows], group = Number(-0.0);
    ONEFOLD_UNROLL
    for (int i = 0; i < band_groups::rows; ++i)
      if (i < n) terms[i] = load_item<Number>(of, piece, first + i).value;
    ONEFOLD_UNROLL
    for (int i = 0; i < band_groups::rows; ++i)
      if (i < n) group += terms[i];
    sum += group;
    count += n;
  });
  return sum;
}

/// Shape:  as nested_fast, without a mask, with a reduced axis; a piece is a band; a lane a piece.
/// Error:  docs/numerics/intervals.md, section 5.
/// Order:  groups of 16 elements along the innermost reduced axis, 64 groups a band: the CPU's, in
///         any grid.
template <class Number>
__global__ void __launch_bounds__(nested_threads)
    nested_columns(const nested_request of, std::int64_t* words) {
  const std::int64_t all = of.outputs * of.pieces;
  const std::int64_t step = std::int64_t(gridDim.x) * nested_threads;
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * nested_threads + threadIdx.x; k < all;
       k += step) {
    nest_piece answer(of, k);
    answer.last = of.items;
    std::int64_t* const to = words + k * of.state_words;
    const std::int64_t output = quotient(k, of.pieces);
    std::int64_t count;
    to[0] = word_of_number(band_sum<Number>(of, answer, k - output * of.pieces, count));
    if (of.state_words > 1) to[1] = count, to[2] = 0;
  }
}

}  // namespace onefold::cuda
