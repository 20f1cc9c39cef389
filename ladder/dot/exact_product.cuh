// SPDX-License-Identifier: Apache-2.0
#pragma once
// A product of two floating-point numbers as what it is: an integer times a power of two.
//
// The product of two significands has 48 bits for float and 106 for double; its unit is at least
// the square of the format's smallest subnormal. So every product is an integer multiple of that
// square, and a sum of products is an integer in 32-bit digits that lie in 64-bit limbs: 19 limbs
// for float, 133 for double. Nothing is rounded, nothing overflows or underflows, no order
// matters. There is no condition on the operands, as there is on the error of a rounded product.
//
// Source: the long accumulator of U. Kulisch, "Computer Arithmetic and Validity", 2008, chapter 8.

#include "ladder/operators.cuh"

#include <cstdint>

namespace onefold::ladder {

__extension__ typedef unsigned __int128 uint128;

/// What a sum has seen beside finite numbers, as bits.
enum seen_terms : unsigned {
  seen_nan = 1,
  seen_plus_infinity = 2,
  seen_minus_infinity = 4,
  seen_other_than_minus_zero = 8,  ///< a sum of nothing but -0 is -0
};

/// A format, and the limbs that a sum of fewer than 2^31 of its products needs.
template <class T>
struct exact_format {
  using number = std::numeric_limits<T>;
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static constexpr int precision = number::digits;
  static constexpr word sign_bit = word{1} << (8 * sizeof(T) - 1);
  static constexpr word hidden_bit = word{1} << (precision - 1);
  static constexpr word special = sign_bit - hidden_bit;  ///< the exponent field of Inf and NaN

  static constexpr int lsb = 2 * (number::min_exponent - precision);  ///< exponent of limb 0
  static constexpr int terms_log2 = 31;  ///< each changes a limb by less than 2^32
  static constexpr int bits = 2 * number::max_exponent - lsb + terms_log2 + 1;
  static constexpr int limbs = (bits + 31) / 32;
  static constexpr int digits = (2 * precision + 31) / 32 + 1;  ///< of a shifted product
};

/// The exact sum of a block's products.
template <class T>
struct exact_partial {
  unsigned long long limbs[exact_format<T>::limbs];  ///< signed, as two's complement
  unsigned long long seen;
};

/// A product: its digit k belongs to limb `limb + k`.
struct exact_product {
  uint128 magnitude;
  int limb, bit;
  bool minus;
  unsigned seen;

  __device__ ONEFOLD_UNCOUNTED unsigned long long digit(int k) const {
    // Two shifts: for k = 4 and bit = 0 one would be by all 128 bits.
    const uint128 from = k == 0 ? magnitude << bit : magnitude >> (32 * k - 1 - bit) >> 1;
    const unsigned long long digit = static_cast<std::uint32_t>(from);
    return minus ? 0 - digit : digit;
  }
};

/// |x|, for a finite x, is significand * 2^shift times the format's smallest subnormal.
struct magnitude_parts {
  std::uint64_t significand;
  int shift;
};

template <class Format>
__device__ ONEFOLD_UNCOUNTED inline magnitude_parts parts_of(typename Format::word bits) {
  const auto field = static_cast<int>((bits & Format::special) / Format::hidden_bit);
  const std::uint64_t fraction = bits & (Format::hidden_bit - 1);
  if (field == 0) return {fraction, 0};
  return {fraction | Format::hidden_bit, field - 1};
}

/// What a product is that is not a finite number: Inf * 0 is NaN.
template <class T>
__device__ ONEFOLD_UNCOUNTED inline unsigned kind_of_special(T product) {
  if (product != product) return seen_other_than_minus_zero | seen_nan;
  return seen_other_than_minus_zero | (product > 0 ? seen_plus_infinity : seen_minus_infinity);
}

template <class T>
__device__ ONEFOLD_UNCOUNTED inline exact_product multiply_exactly(T a, T b) {
  using format = exact_format<T>;
  const auto x = __builtin_bit_cast(typename format::word, a);
  const auto y = __builtin_bit_cast(typename format::word, b);
  if ((x & format::special) == format::special || (y & format::special) == format::special) {
    return {0, 0, 0, false, kind_of_special(a * b)};
  }
  const magnitude_parts of_a = parts_of<format>(x), of_b = parts_of<format>(y);
  const uint128 magnitude = uint128{of_a.significand} * of_b.significand;
  const int shift = of_a.shift + of_b.shift;
  const bool minus = ((x ^ y) & format::sign_bit) != 0;
  const bool minus_zero = magnitude == 0 && minus;
  return {magnitude, shift / 32, shift % 32, minus, minus_zero ? 0u : seen_other_than_minus_zero};
}

}  // namespace onefold::ladder
