// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of sums of exponentials of contiguous rows of narrow floats. A tile is in shared
// memory, so a row is read twice there: for its largest element, and for its terms. Their sum is
// exact (docs/numerics/logsumexp.md), so any lane may add any of them.

#include "cuda/loaders/row_tiles.cuh"
#include "cuda/nested/moments/quick_moments.cuh"
#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/nested/ordered/log_tiles.hpp"
#include "cuda/nested/strided_rows.cuh"
#include "cuda/parts/exponential_terms.cuh"

namespace onefold::cuda {

/// log s within 2^-44. Precondition: 2^-1 <= s < 2^20.
///
/// s = 2^e m, m from about sqrt(1/2) to sqrt(2); with z = (m - 1) / (m + 1), |z| < 0.1716, log m is
/// 2 z (1 + z^2 / 3 + z^4 / 5 + …). What is left out after z^14 is below 2^-46.
ONEFOLD_DEVICE double quick_logarithm(double s) {
  constexpr std::int64_t root_of_half = 0x3FE6A09E00000000;
  const auto bits = std::int64_t(detail::to_bits(s));
  const auto e = int((bits - root_of_half) >> 52);
  const double m = detail::from_bits<double>(std::uint64_t(bits - (std::int64_t(e) << 52)));
  // A reciprocal of binary32 is off by a relative 2^-23, what it gives is corrected once: 2^-46.
  const double near = 1.0f / float(m + 1), rest = fma(-(m + 1), near, 1.0);
  const double first = (m - 1) * near, z = fma(first, rest, first), square = z * z;
  double p = 1.0 / 15;
  ONEFOLD_UNROLL
  for (int i = 13; i >= 1; i -= 2) p = fma(p, square, 1.0 / i);
  return fma(double(e), exponential::log_of_2, 2 * z * p);
}

/// Holds log(sum) + shift, and the double-word number that logarithm_of makes of it.
struct log_interval {
  double low, high;
};
ONEFOLD_DEVICE log_interval interval_of(const exponential::scaled_sum& of) {
  const double value = of.shift + quick_logarithm(of.sum);
  const double error = of.sum == 1 ? 0 : fma(fabs(value), 0x1p-51, 0x1p-42);
  return {value - error, value + error};
}

/// The largest element of a row, and after the second reading the sum of its terms.
template <class T>
struct log_lane {
  using bits = typename detail::float_format<T>::bits;
  float largest = -INFINITY;  ///< a NaN where there is one
  std::uint64_t sum = 0;

  ONEFOLD_DEVICE void add(bits x) { largest = larger_or_nan(largest, number_of<T>(x)); }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2)
      largest = larger_or_nan(largest, __shfl_xor_sync(whole_warp, largest, step));
  }
  ONEFOLD_DEVICE bool is_finite() const { return largest - largest == 0; }
};

/// The second reading of a row.
template <class T>
struct term_lane {
  chunk_exponentials<T> exponentials;
  std::uint64_t sum = 0;

  ONEFOLD_DEVICE void add(typename log_lane<T>::bits x) {
    sum += exponentials.term_of(number_of<T>(x));
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  }
};
template <class T>
struct term_pass {
  const term_powers& powers;

  ONEFOLD_DEVICE term_lane<T> begin(const log_lane<T>& row) const {
    return {chunk_exponentials<T>(row.largest, powers)};
  }
  ONEFOLD_DEVICE void end(const term_lane<T>& terms, log_lane<T>& row) const {
    row.sum = terms.sum;
  }
};

/// Answer k of a row: certified by an interval about the logarithm, or else by double words.
template <class T>
ONEFOLD_DEVICE void write_log_row(const log_lane<T>& row, const term_powers& powers,
                                  const finish_list& list, std::int64_t k) {
  exponential::scaled_sum found = {0, 0};
  bool certified = false;
  if (row.is_finite()) {
    found = chunk_exponentials<T>(row.largest, powers).scaled(row.sum);
    const log_interval ends = interval_of(found);
    certified = true;
    ONEFOLD_ROLLED
    for (int i = 0; certified && i < list.size; ++i) {
      const finish_item& asked = list.answers[i];
      certified = asked.type != dtype::f64 &&
                  quick_moments::write_ends(ends.low, ends.high, asked, k, true);
    }
  }
  if (certified) return;
  const bool nan = row.largest != row.largest, infinite = row.largest == INFINITY;
  finish_parts({nan, found.shift, found.sum, infinite}, list, k);
}

/// All rows of a warp. stages: its shared memory, of row_stages_bytes.
template <class T, bool Vectors>
ONEFOLD_DEVICE void reduce_log_rows(const nested_request& of, const strided_rows& rows,
                                    const term_powers& powers, std::int64_t* stages) {
  row_tiles<T, Vectors, term_pass<T>> tiles(rows, stages, {powers});
  for_each_plane(of, rows,
                 [&](const std::byte* x, std::int64_t first, std::int64_t row, std::int64_t step) {
                   tiles.take(
                       x, row, step, [] { return log_lane<T>(); },
                       [&](std::int64_t k, const log_lane<T>& lane) {
                         if (k >= 0) write_log_row(lane, powers, of.finish, first + k);
                         __syncwarp();
                       },
                       [](std::int64_t) { return false; });
                 });
}

template <class T>
ONEFOLD_DEVICE void reduce_log_rows(const nested_request& of, const strided_rows& rows,
                                    const term_powers& powers, std::int64_t* stages) {
  if (rows.vectors)
    reduce_log_rows<T, true>(of, rows, powers, stages);
  else
    reduce_log_rows<T, false>(of, rows, powers, stages);
}

/// Shape:  a request and what log_tiles_of says of it; block of 32 row_tile_warps, any grid;
///         dynamic shared memory for the stages of each warp.
/// Error:  docs/numerics/logsumexp.md; answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(row_tile_warps* warp_lanes, row_tile_blocks)
    nested_log_tiles(ONEFOLD_KERNEL_ARGUMENT nested_request of,
                     ONEFOLD_KERNEL_ARGUMENT strided_rows rows) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  __shared__ term_powers powers;
  write_term_powers(powers);
  __syncthreads();
  std::int64_t* const stages = shared + threadIdx.x / warp_lanes * (row_stages_bytes / 8);
  if (of.input == dtype::f32)
    reduce_log_rows<float>(of, rows, powers, stages);
  else if (of.input == dtype::bf16)
    reduce_log_rows<bf16>(of, rows, powers, stages);
  else
    reduce_log_rows<f16>(of, rows, powers, stages);
}

}  // namespace onefold::cuda
