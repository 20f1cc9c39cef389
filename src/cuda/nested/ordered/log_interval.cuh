// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of exact sums of terms (docs/numerics/logsumexp.md), certified by an interval about a
// short logarithm, and else computed as double words.

#include "cuda/nested/moments/quick_moments.cuh"
#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/parts/exponential_terms.cuh"
#include "cuda/parts/greater.cuh"
#include "cuda/parts/lanes.cuh"

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

  ONEFOLD_DEVICE void add(bits x) { largest = greater_or_nan(largest, number_of<T>(x)); }
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2)
      largest = greater_or_nan(largest, __shfl_xor_sync(whole_warp, largest, step));
  }
  ONEFOLD_DEVICE bool is_finite() const { return largest - largest == 0; }
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

}  // namespace onefold::cuda
