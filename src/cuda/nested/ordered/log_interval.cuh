// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of exact sums of terms (docs/numerics/logsumexp.md), certified by an interval about a
// short logarithm, and else computed as double words.

#include "cuda/exact/quick_moments.cuh"
#include "cuda/nested/ordered/log_finish.cuh"
#include "cuda/ordered/chunk_top.cuh"
#include "cuda/parts/exponential_terms.cuh"
#include "cuda/parts/greater.cuh"
#include "cuda/parts/lanes.cuh"

namespace onefold::cuda {

/// Of the numbers from 1 + i / 32 to 1 + (i + 1) / 32: the float next to the reciprocal of their
/// middle, and the logarithm of its own reciprocal.
struct alignas(16) log_node {
  double reciprocal, logarithm;
};
inline constexpr int log_nodes = 32;

constexpr log_node log_node_of(int i) {
  const double near = float(1 / (1 + (i + 0.5) / log_nodes));
  const double t = (1 - near) / (1 + near);  // log(1 / near) = 2 atanh(t), 0 < t < 0.33
  double sum = 0;
  for (int k = 35; k >= 1; k -= 2) sum = sum * t * t + 1.0 / k;
  return {near, 2 * t * sum};
}
template <int I>
inline constexpr double log_reciprocal = log_node_of(I).reciprocal;
template <int I>
inline constexpr double log_of_reciprocal = log_node_of(I).logarithm;

/// What is looked up for a logarithm of a sum of terms, in shared memory.
struct log_tables {
  term_powers powers;
  log_node nodes[log_nodes];
};
template <int... I>
ONEFOLD_DEVICE void write_log_steps(log_node* to, std::integer_sequence<int, I...>) {
  ((threadIdx.x == unsigned(I) ? void(to[I] = {log_reciprocal<I>, log_of_reciprocal<I>}) : void()),
   ...);
}
/// By the threads of a block, which has to meet before it reads the tables.
ONEFOLD_DEVICE void write_log_tables(log_tables& to) {
  write_term_powers(to.powers);
  write_log_steps(to.nodes, std::make_integer_sequence<int, log_nodes>());
}

/// log(2^exponent s) within 2^-44 and 2^-52 of itself. Precondition: s is positive and normal,
/// |exponent| < 2^10.
///
/// s = 2^e m, 1 <= m < 2; with the node's reciprocal r and z = m r - 1, |z| < 2^-6, log m is that
/// of 1 / r and z - z^2 / 2 + z^3 / 3 - …. What is left out after z^6 is below 2^-44.7.
ONEFOLD_DEVICE double quick_logarithm(double s, const log_tables& tables, int exponent = 0) {
  const std::uint64_t bits = detail::to_bits(s);
  const auto high = std::uint32_t(bits >> 32);
  const log_node node = tables.nodes[high >> 15 & (log_nodes - 1)];
  const double m = detail::from_bits<double>((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000);
  const double z = fma(m, node.reciprocal, -1.0);
  double p = fma(z, -1.0 / 6, 1.0 / 5);
  p = fma(p, z, -1.0 / 4), p = fma(p, z, 1.0 / 3), p = fma(p, z, -1.0 / 2);
  const double whole = double(exponent + int(high >> 20) - 1023);
  return fma(whole, exponential::log_of_2, node.logarithm) + fma(z * z, p, z);
}

/// Holds log(sum) + shift, and the double-word number that logarithm_of makes of it.
struct log_interval {
  double low, high;
};
ONEFOLD_DEVICE log_interval interval_about(double value, double error) {
  const double reach = fma(fabs(value), 0x1p-51, error);
  return {value - reach, value + reach};
}
/// Of the sum of a chunk's terms; of use unless it is the term of the largest element alone.
ONEFOLD_DEVICE log_interval interval_of(std::uint64_t sum, const exponential::term_scale& scale,
                                        const log_tables& tables) {
  const double scaled = double(sum) * exponential::term_unit;
  const double value = quick_logarithm(scaled, tables, scale.exponent) + double(scale.origin);
  return interval_about(value, 0x1p-42);
}

/// The largest element of a row, a NaN where there is one, and the sum of its terms.
struct log_row_sum {
  float largest = -INFINITY;
  std::uint64_t sum = 0;
};

/// The first reading of a row.
template <class T>
struct log_lane : log_row_sum {
  using bits = typename detail::float_format<T>::bits;
  vector_ends<T> vectors;

  ONEFOLD_DEVICE void add(bits x) { largest = greater_or_nan(largest, number_of<T>(x)); }
  template <int Items>
  ONEFOLD_DEVICE void add_all(const bits (&x)[Items]) {
    ONEFOLD_UNROLL
    for (const bits each : x) add(each);
  }
  template <int Units>
  ONEFOLD_DEVICE void add_all(const uint4 (&x)[Units]) {
    ONEFOLD_UNROLL
    for (const uint4& each : x) vectors.take(each);
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    largest = greater_or_nan(largest, vectors.top());
    if (lanes == int(warp_lanes)) {
      largest = warp_max_or_nan(largest);
      return;
    }
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2)
      largest = greater_or_nan(largest, __shfl_xor_sync(whole_warp, largest, step));
  }
};

/// Whether all answers k are certain, which then are written by the lane that `writes`.
ONEFOLD_DEVICE bool write_interval(const log_interval& ends, const finish_list& list,
                                   std::int64_t k, bool writes = true) {
  bool certified = true;
  ONEFOLD_ROLLED
  for (int i = 0; certified && i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    certified = asked.type != dtype::f64 &&
                quick_moments::write_ends(ends.low, ends.high, asked, k, writes);
  }
  return certified;
}

/// The same of one answer of type T.
template <class T>
ONEFOLD_DEVICE bool write_own(const log_interval& ends, void* to, std::int64_t k) {
  using bits = typename detail::float_format<T>::bits;
  bits above;
  if constexpr (std::is_same_v<T, float>) {
    const float low = float(ends.low), high = float(ends.high);
    if (low != high) return false;
    above = detail::to_bits(high);
  } else {
    above = rounded_bits<T>(ends.high);
    if (above != rounded_bits<T>(ends.low)) return false;
  }
  static_cast<bits*>(to)[k] = above;
  return true;
}

/// Answer k of a row by an interval, or the largest element, that no other one reaches, or a
/// double-word number.
template <class T>
ONEFOLD_COLD void finish_log_row(float largest, std::uint64_t sum, const log_tables& tables,
                                 const finish_list& list, std::int64_t k) {
  exponential::scaled_sum found = {0, 0};
  if (largest - largest == 0) {
    const chunk_exponentials<T> exponentials(largest, tables.powers);
    found = exponentials.scaled(sum);
    const log_interval ends = found.sum == 1 ? log_interval{found.shift, found.shift}
                                             : interval_of(sum, exponentials.scale(), tables);
    if (write_interval(ends, list, k)) return;
  }
  finish_parts({largest != largest, found.shift, found.sum, largest == INFINITY}, list, k);
}

/// The same: nearly all are of type T and certified by the interval.
template <class T>
ONEFOLD_DEVICE void write_log_row(const log_row_sum& row, const log_tables& tables,
                                  const finish_list& list, std::int64_t k) {
  const finish_item& first = list.answers[0];
  if (row.largest - row.largest == 0 && list.size == 1 && first.type == dtype_of<T>) {
    const log_interval ends = interval_of(row.sum, exponential::scale_of(row.largest), tables);
    // The logarithm of the term of the largest element alone is less than 2^-28 from it.
    if (ends.low > double(row.largest) + 0x1p-27 && write_own<T>(ends, first.to, k)) return;
  }
  finish_log_row<T>(row.largest, row.sum, tables, list, k);
}

}  // namespace onefold::cuda
