// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conversions of the two 16-bit floating types: binary16 and the upper half of a binary32. To 16
// bits they round to nearest, ties to even; NaNs stay NaNs.

#include <cstdint>

namespace onefold::simt {

constexpr float float_of_bfloat16_bits(std::uint16_t bits) noexcept {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}

constexpr std::uint16_t bfloat16_bits_of(float value) noexcept {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FFF;
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

constexpr float float_of_half_bits(std::uint16_t bits) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  if (exponent == 0x1F) return __builtin_bit_cast(float, sign | 0x7F800000u | fraction << 13);
  if (exponent != 0) {
    return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | fraction << 13);
  }
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign == 0 ? magnitude : -magnitude;
}

constexpr std::uint16_t half_bits_of(float value) noexcept {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return 0x7FFF;
  if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);
  std::uint32_t kept = 0, dropped = 0, half = 0;
  if (magnitude >= 0x38800000u) {  // 2^-14, the least normal
    kept = (magnitude - 0x38000000u) >> 13, dropped = magnitude & 0x1FFF, half = 0x1000;
  } else if (magnitude >= 0x33000000u) {  // 2^-25, half of the least
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t fraction = (magnitude & 0x7FFFFFu) | 0x800000u;
    kept = fraction >> shift, dropped = fraction & ((1u << shift) - 1), half = 1u << (shift - 1);
  }
  if (dropped > half || (dropped == half && half != 0 && (kept & 1) != 0)) ++kept;
  return static_cast<std::uint16_t>(sign | kept);
}

}  // namespace onefold::simt
