// SPDX-License-Identifier: Apache-2.0
// The four binary formats as constants: precision, last bit, largest exponent, limbs of exact sums.
//
// A finite value of a format is an integer times 2^lsb. A sum of fewer than 2^63 of them is an
// integer below 2^(max_exponent + 1 + 63 - lsb) in magnitude; `limbs` 32-bit limbs hold it with
// its sign. A product of two is an integer times 2^(2 lsb); `product_limbs` limbs hold a sum of as
// many of them.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

namespace onefold::detail {

template <class Bits, int Precision, int MaxExponent, int Limbs, int ProductLimbs>
struct binary_format {
  using bits = Bits;
  static constexpr int precision = Precision;              // significand bits, hidden one included
  static constexpr int max_exponent = MaxExponent;         // of the largest finite value
  static constexpr int lsb = 2 - MaxExponent - Precision;  // exponent of the smallest subnormal
  static constexpr int limbs = Limbs;                      // 32-bit limbs of an exact sum
  static constexpr int product_limbs = ProductLimbs;       // … of a sum of products
  static constexpr int fraction_bits = Precision - 1;
  static constexpr int max_field = 2 * MaxExponent + 1;  // exponent field of Inf and NaN
  static constexpr Bits hidden_bit = Bits(Bits(1) << fraction_bits);
  static constexpr Bits infinity = Bits(Bits(max_field) << fraction_bits);
  static constexpr Bits sign_bit = Bits(infinity + hidden_bit);
  static constexpr Bits quiet_nan = Bits(infinity | Bits(hidden_bit >> 1));  // the canonical one

  static_assert(32 * Limbs - 1 >= MaxExponent + 1 + 63 - lsb,
                "a sum of 2^63 of the largest values must fit below the sign of the top digit");
  static_assert(32 * ProductLimbs - 1 >= 2 * (MaxExponent + 1 - lsb) + 63,
                "a sum of 2^63 of the largest products must fit below the sign of the top digit");
};

template <class T>
struct float_format;
template <>
struct float_format<f16> : binary_format<std::uint16_t, 11, 15, 5, 6> {};
template <>
struct float_format<bf16> : binary_format<std::uint16_t, 8, 127, 12, 20> {};
template <>
struct float_format<float> : binary_format<std::uint32_t, 24, 127, 12, 20> {};
template <>
struct float_format<double> : binary_format<std::uint64_t, 53, 1023, 68, 134> {};

template <class T>
concept has_float_format = requires {
  float_format<T>::precision;
};
template <class T>
concept integer_element = std::is_integral_v<T> && sizeof(T) <= 8;

/// In place of an accumulator of another type, so that the assertion is the one error of a loop.
struct no_accumulator {
  template <class... X>
  void add(const X&...);
};

/// The accumulator of elements of type T: Float for a floating type, Integer for an integer.
template <class T, class Float, class Integer>
struct accumulator_of {
  static_assert(has_float_format<T> || integer_element<T>,
                "onefold: exact accumulators take float, double, onefold::f16, onefold::bf16 and "
                "integers of up to 64 bits");
  using type = std::conditional_t<has_float_format<T>, Float,
                                  std::conditional_t<integer_element<T>, Integer, no_accumulator>>;
};

/// Whether a conversion of an arithmetic type X to the format of T can change a value: double to
/// float, std::int64_t to double. Accumulators refuse such arguments instead of rounding them.
template <class X, class T>
concept narrows_to = std::is_arithmetic_v<X> &&
    (std::numeric_limits<X>::digits > float_format<T>::precision ||
     (std::is_floating_point_v<X> &&
      std::numeric_limits<X>::max_exponent > float_format<T>::max_exponent + 1));

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

template <class T>
ONEFOLD_HOST_DEVICE constexpr int exponent_field(typename float_format<T>::bits bits) {
  return int((bits & float_format<T>::infinity) >> float_format<T>::fraction_bits);
}

template <class T>
ONEFOLD_HOST_DEVICE constexpr bool is_nan(typename float_format<T>::bits bits) {
  using format = float_format<T>;
  return exponent_field<T>(bits) == format::max_field && (bits & (format::hidden_bit - 1)) != 0;
}

/// |x| = significand * 2^(lsb + unit_shift), for the bits of a finite x.
template <class T>
ONEFOLD_HOST_DEVICE constexpr std::int64_t significand(typename float_format<T>::bits bits) {
  using format = float_format<T>;
  const auto fraction = std::int64_t(bits & (format::hidden_bit - 1));
  return exponent_field<T>(bits) == 0 ? fraction : fraction + std::int64_t(format::hidden_bit);
}

template <class T>
ONEFOLD_HOST_DEVICE constexpr int unit_shift(typename float_format<T>::bits bits) {
  const int field = exponent_field<T>(bits);
  return field == 0 ? 0 : field - 1;
}

}  // namespace onefold::detail
