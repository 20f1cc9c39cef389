// SPDX-License-Identifier: Apache-2.0
// The logarithm of a positive double-word number, by a few operations that round the same on every
// machine (docs/numerics/logsumexp.md).
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/exponential_tables.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/scaled_pair.hpp"

namespace onefold::detail {

/// Where host code finds a node. Device code has a table in memory.
struct log_node_table {
  ONEFOLD_HOST_DEVICE constexpr log_node operator[](int i) const noexcept { return log_node_of(i); }
};

/// s = 2^exponent m, 1 <= m < 2, and the node of m.
struct log_parts {
  int exponent;
  double m;
  int node;
};
ONEFOLD_HOST_DEVICE constexpr log_parts log_parts_of(double s) noexcept {
  const std::uint64_t bits = to_bits(s);
  return {int(bits >> 52) - 1023, from_bits<double>((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000),
          int(bits >> 47 & (log_nodes - 1))};
}

/// log(s) within 2^-44 and 2^-52 of itself. Precondition: s is positive and normal.
///
/// With the node's reciprocal r and z = m r - 1, |z| < 2^-6, log m is that of 1 / r and z - z^2 / 2
/// + z^3 / 3 - …. What is left out after z^6 is below 2^-44.7.
template <class Nodes = log_node_table>
ONEFOLD_HOST_DEVICE inline double short_logarithm(double s, const Nodes& nodes = {}) noexcept {
  const log_parts parts = log_parts_of(s);
  const log_node node = nodes[parts.node];
  const double z = __builtin_fma(parts.m, node.reciprocal, -1.0);
  double p = __builtin_fma(z, -1.0 / 6, 1.0 / 5);
  p = __builtin_fma(p, z, -1.0 / 4), p = __builtin_fma(p, z, 1.0 / 3);
  p = __builtin_fma(p, z, -1.0 / 2);
  return __builtin_fma(parts.exponent, log_of_2, node.logarithm) + __builtin_fma(z * z, p, z);
}

/// a + b exactly, as its rounding and the error of it.
ONEFOLD_HOST_DEVICE constexpr scaled_pair two_sum(double a, double b) noexcept {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part), 0};
}

/// shift + log(s.high + s.low), error at most 2^-62 and 2^-100 of the value: as short_logarithm,
/// with z in two parts and up to z^10. Precondition: s.high is positive and normal.
template <class Nodes = log_node_table>
ONEFOLD_HOST_DEVICE inline scaled_pair logarithm_of(const scaled_pair& s, double shift,
                                                    const Nodes& nodes = {}) noexcept {
  const log_parts parts = log_parts_of(s.high);
  const log_node node = nodes[parts.node];
  const double low = s.low * from_bits<double>(std::uint64_t(1023 - parts.exponent) << 52);
  const double product = parts.m * node.reciprocal, z = product - 1;
  const double z_low = __builtin_fma(parts.m, node.reciprocal, -product) + low * node.reciprocal;
  double p = __builtin_fma(z, -1.0 / 10, 1.0 / 9);
  p = __builtin_fma(p, z, -1.0 / 8), p = __builtin_fma(p, z, 1.0 / 7);
  p = __builtin_fma(p, z, -1.0 / 6), p = __builtin_fma(p, z, 1.0 / 5);
  p = __builtin_fma(p, z, -1.0 / 4), p = __builtin_fma(p, z, 1.0 / 3);
  p = __builtin_fma(p, z, -1.0 / 2);
  const double curve = __builtin_fma(z * z, p, __builtin_fma(z_low, -z, z_low));
  const scaled_pair whole = two_sum(parts.exponent * log_of_2_high, node.logarithm);
  const scaled_pair shifted = two_sum(shift, whole.high), all = two_sum(shifted.high, z);
  const double rest = __builtin_fma(parts.exponent, log_of_2_low, node.rest) + curve;
  return two_sum(all.high, all.low + (shifted.low + (whole.low + rest)));
}

}  // namespace onefold::detail
