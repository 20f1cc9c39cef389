// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax of f16, bf16 and f32, step by step: exp(x - m) of the row's largest
// element m as a float, and what follows from the sum of these. Every step rounds the same on every
// machine, and the sum is one of integers, so it has no order (docs/numerics/softmax.md).
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"

namespace onefold::softmax_steps {

/// Of x - m: y of elements below it is 0.
inline constexpr float least_difference = -105;
/// A numerator is 2^26 exp(x - m), so that no quotient loses digits before it is subnormal itself.
inline constexpr int numerator_places = 26;
/// Places of a numerator after the point that are summed; further ones are cut off.
inline constexpr int sum_places = 18;

inline constexpr float steps_of_1 = 0x1.715476p+0f;  // 1 / log 2
/// log 2 in two parts; f16 and bf16 need the first one only.
inline constexpr float log_of_2 = 0x1.62e43p-1f, rest_of_log_of_2 = -0x1.05c61p-29f;
/// Adding this to k rounds it to an integer; the low bits of the sum are k + 26.
inline constexpr float integer_ulp = 0x1.8p23f + float(numerator_places);

/// exp(r) is about 1 + r (c1 + r (c2 + …)) for |r| <= log(2) / 2.
template <class T>
struct polynomial {
  static constexpr float c1 = 0x1.fffba6p-1f, c2 = 0x1.0003f4p-1f, c3 = 0x1.57cef6p-3f,
                         c4 = 0x1.5414b6p-5f;
};
template <>
struct polynomial<float> {
  static constexpr float c1 = 1, c2 = 0x1.fffffcp-2f, c3 = 0x1.555492p-3f, c4 = 0x1.5558f2p-5f,
                         c5 = 0x1.1239f2p-7f, c6 = 0x1.6a241ap-10f;
};

/// 2^26 exp(x - m). Precondition: x <= m, and m is finite.
template <class T>
ONEFOLD_HOST_DEVICE inline float numerator(float x, float m) noexcept {
  using c = polynomial<T>;
  const float apart = x - m;
  const bool counts = apart > least_difference;
  const float d = counts ? apart : least_difference;
  const float shifted = __builtin_fmaf(d, steps_of_1, integer_ulp), k = shifted - integer_ulp;
  float r = __builtin_fmaf(k, -log_of_2, d), p = c::c4;
  if constexpr (sizeof(T) == 4) {
    // What x - m lost by rounding.
    const float near_x = d + m, near_m = near_x - d;
    r += counts ? (x - near_x) + (near_m - m) : 0;
    r = __builtin_fmaf(k, -rest_of_log_of_2, r);
    p = __builtin_fmaf(r, __builtin_fmaf(r, c::c6, c::c5), p);
  }
  p = __builtin_fmaf(r, __builtin_fmaf(r, p, c::c3), c::c2);
  p = __builtin_fmaf(r, __builtin_fmaf(r, p, c::c1), 1);
  // k + 26 is added to the exponent; the upper bits of `shifted` are lost.
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, p) +
                                       (__builtin_bit_cast(std::uint32_t, shifted) << 23));
}

/// The sum of floor(2^18 numerator) over a row, rounded once: high 2^32 + low, both below 2^53.
ONEFOLD_HOST_DEVICE inline double total_of(std::uint64_t high, std::uint64_t low) noexcept {
  return double(high) * 0x1p32 + double(low);
}

/// Numerators times this are y. Of a total t the sum of exp(x - m) is t 2^-44.
ONEFOLD_HOST_DEVICE inline float factor_of(double total) noexcept {
  return float(0x1p18 / total);
}

/// log(total 2^-44): relative to itself as precise as the total.
ONEFOLD_HOST_DEVICE inline float logarithm_of(double total) noexcept {
  constexpr double root_2 = 0x1.6a09e667f3bcdp+0;
  const auto bits = __builtin_bit_cast(std::uint64_t, total);
  int k = int(bits >> 52) - 1023 - numerator_places - sum_places;
  double z = __builtin_bit_cast(double, (bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000);
  if (z > root_2) z *= 0.5, ++k;
  const double u = (z - 1) / (z + 1), v = u * u;
  double series = 2.0 / 13;
  series = 2.0 / 11 + v * series, series = 2.0 / 9 + v * series, series = 2.0 / 7 + v * series;
  series = 2.0 / 5 + v * series, series = 2.0 / 3 + v * series, series = 2.0 + v * series;
  return float(double(k) * 0x1.62e42fefa39efp-1 + u * series);
}

}  // namespace onefold::softmax_steps
