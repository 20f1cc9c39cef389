// SPDX-License-Identifier: Apache-2.0
// E(x), the exponential that logsumexp and softmax add: a specified double, made by a few
// operations that round the same on every machine (docs/numerics/logsumexp.md).
//
// x = 512 b + r, with b the integer nearest to x / 512: the band of x. Then E(x) is exp(r), about
// 2^-370 to 2^370, and stands for exp(512 b) E(x). With r = k log(2) / 32 + t, k an integer, exp(r)
// is 2^floor(k / 32), by one of 32 powers, by 1 + (exp(t) - 1), a short polynomial.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/exponential_tables.hpp"

namespace onefold::detail {

/// An element as its band and what is left of it: x = 512 band + rest, |rest| <= 256. Exact.
template <class T>
struct banded {
  T band, rest;
};
template <class T>
ONEFOLD_HOST_DEVICE constexpr banded<T> banded_of(T x) noexcept {
  // From this on a T is an integer; adding it to smaller ones rounds them to integers.
  constexpr T integers = sizeof(T) == 4 ? T(0x1p23) : T(0x1p52);
  const T quotient = x / band_width, size = quotient < 0 ? -quotient : quotient;
  const T rounded = size < integers ? (size + integers) - integers : size;
  const T band = (quotient < 0 ? -rounded : rounded) + T(0);  // +0 for -0
  return {band, x - band_width * band};
}

/// exp(rest) = 2^(k / 32) (1 + s), k modulo 2^32.
struct split_exponential {
  std::uint32_t k;
  double s;
};
ONEFOLD_HOST_DEVICE inline split_exponential split_exponential_of(float rest) noexcept {
  using namespace exponential_of_float;
  const float shifted = __builtin_fmaf(rest, steps_of_1, integer_ulp), k = shifted - integer_ulp;
  const float t = __builtin_fmaf(k, -step_low, __builtin_fmaf(k, -step_high, rest));
  const float p = __builtin_fmaf(t, third, second);
  return {__builtin_bit_cast(std::uint32_t, shifted), double(__builtin_fmaf(t * t, p, t))};
}
ONEFOLD_HOST_DEVICE inline split_exponential split_exponential_of(double rest) noexcept {
  using namespace exponential_of_double;
  const double shifted = __builtin_fma(rest, steps_of_1, integer_ulp), k = shifted - integer_ulp;
  const double t = __builtin_fma(k, -step_low, __builtin_fma(k, -step_high, rest));
  double p = __builtin_fma(t, sixth, fifth);
  p = __builtin_fma(t, __builtin_fma(t, __builtin_fma(t, p, fourth), third), second);
  return {std::uint32_t(__builtin_bit_cast(std::uint64_t, shifted)), __builtin_fma(t * t, p, t)};
}

/// From the last bit of k to that of the same weight in the upper word of a double: k counts steps.
inline constexpr int step_shift = 15;
/// The entry of a table for the last bits of k, to which all of its bits are added: 2^(j / 32) less
/// what the bits of j add.
ONEFOLD_HOST_DEVICE constexpr std::uint64_t step_entry(std::uint32_t j) noexcept {
  return __builtin_bit_cast(std::uint64_t, power_of_step(int(j))) -
         (std::uint64_t(j) << (32 + step_shift));
}
/// 2^(k / 32) (1 + s), by one fused operation. Precondition: normal.
ONEFOLD_HOST_DEVICE inline double exponential_of(const split_exponential& split,
                                                 std::uint64_t entry) noexcept {
  const std::uint32_t high = std::uint32_t(entry >> 32) + (split.k << step_shift);
  const auto power = __builtin_bit_cast(double, std::uint64_t(high) << 32 | std::uint32_t(entry));
  return __builtin_fma(power, split.s, power);
}

/// exp(rest), |rest| <= 256: relative error below 2^-29.8 (float), 2.1 2^-53 (double). E(0) = 1.
template <class T>
ONEFOLD_HOST_DEVICE inline double exponential(T rest) noexcept {
  const split_exponential split = split_exponential_of(rest);
  return exponential_of(split, step_entry(split.k % exponential_steps));
}

}  // namespace onefold::detail
