// SPDX-License-Identifier: Apache-2.0
// The four binary formats as numbers: precision, last bit, largest exponent, width of a wide sum.
//
// A finite value of a format is an integer times 2^lsb. A sum of fewer than 2^63 of them is an
// integer below 2^(max_exponent + 1 + 63 - lsb) in magnitude; `limbs` 32-bit digits hold it with
// its sign.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

namespace onefold::detail {

template <class Bits, int Precision, int MaxExponent, int Limbs>
struct binary_format {
  using bits = Bits;
  static constexpr int precision = Precision;              // significand bits, hidden one included
  static constexpr int max_exponent = MaxExponent;         // of the largest finite value
  static constexpr int lsb = 2 - MaxExponent - Precision;  // exponent of the smallest subnormal
  static constexpr int limbs = Limbs;                      // 32-bit digits of a wide sum
  static constexpr int fraction_bits = Precision - 1;
  static constexpr int max_field = 2 * MaxExponent + 1;  // exponent field of Inf and NaN
  static constexpr Bits sign_bit = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  static constexpr Bits hidden_bit = Bits(Bits(1) << fraction_bits);
  static constexpr Bits infinity = Bits(Bits(max_field) << fraction_bits);
  static constexpr Bits quiet_nan = Bits(infinity | Bits(hidden_bit >> 1));  // the canonical one

  static_assert(32 * Limbs - 1 >= MaxExponent + 1 + 63 - lsb,
                "a sum of 2^63 of the largest values must fit below the sign of the top digit");
};

template <class T>
struct float_format;
template <>
struct float_format<f16> : binary_format<std::uint16_t, 11, 15, 5> {};
template <>
struct float_format<bf16> : binary_format<std::uint16_t, 8, 127, 12> {};
template <>
struct float_format<float> : binary_format<std::uint32_t, 24, 127, 12> {};
template <>
struct float_format<double> : binary_format<std::uint64_t, 53, 1023, 68> {};

ONEFOLD_HOST_DEVICE constexpr std::uint16_t to_bits(f16 x) {
  return x.bits;
}
ONEFOLD_HOST_DEVICE constexpr std::uint16_t to_bits(bf16 x) {
  return x.bits;
}
ONEFOLD_HOST_DEVICE constexpr std::uint32_t to_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}
ONEFOLD_HOST_DEVICE constexpr std::uint64_t to_bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}

template <class T>
ONEFOLD_HOST_DEVICE constexpr T from_bits(typename float_format<T>::bits bits) {
  return __builtin_bit_cast(T, bits);
}

}  // namespace onefold::detail
