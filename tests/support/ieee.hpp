// SPDX-License-Identifier: Apache-2.0
// The formats once more, from IEEE 754 and not from the library, for oracles and generators.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "onefold/dtype.hpp"

namespace onefold::test {

template <class Bits, int ExponentBits, int FractionBits>
struct interchange_format {
  using bits = Bits;
  static constexpr int fraction_bits = FractionBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int special = (1 << ExponentBits) - 1;  // field of Inf and NaN
  static constexpr int lsb = 1 - bias - FractionBits;      // exponent of the least subnormal
  static constexpr Bits sign = Bits(Bits(1) << (ExponentBits + FractionBits));
  static constexpr Bits hidden = Bits(Bits(1) << FractionBits);
  static constexpr Bits infinity = Bits(Bits(special) << FractionBits);
  static constexpr Bits nan = Bits(infinity | hidden >> 1);
};

template <class T>
struct ieee;
template <>
struct ieee<double> : interchange_format<std::uint64_t, 11, 52> {
  static constexpr std::string_view name = "f64";
  static constexpr int state_limbs = 68;  // part of the stored form, so written down twice
  static constexpr int product_limbs = 134;
};
template <>
struct ieee<float> : interchange_format<std::uint32_t, 8, 23> {
  static constexpr std::string_view name = "f32";
  static constexpr int state_limbs = 12;
  static constexpr int product_limbs = 20;
};
template <>
struct ieee<bf16> : interchange_format<std::uint16_t, 8, 7> {
  static constexpr std::string_view name = "bf16";
  static constexpr int state_limbs = 12;
  static constexpr int product_limbs = 20;
};
template <>
struct ieee<f16> : interchange_format<std::uint16_t, 5, 10> {
  static constexpr std::string_view name = "f16";
  static constexpr int state_limbs = 5;
  static constexpr int product_limbs = 6;
};

template <class T>
using bits_of = typename ieee<T>::bits;

template <class T>
bits_of<T> as_bits(T x) {
  return std::bit_cast<bits_of<T>>(x);
}
template <class T>
T as_float(bits_of<T> bits) {
  return std::bit_cast<T>(bits);
}

/// 0x3ff0000000000000, and so on: the form in which every failure prints its numbers.
template <class Bits>
std::string hex(Bits bits) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = int(8 * sizeof bits) - 4; shift >= 0; shift -= 4)
    text.push_back(digits[(bits >> shift) & 15]);
  return text;
}

/// The elements in hex, the first few hundred of them.
template <class T>
std::string hex(const T* x, std::size_t n) {
  constexpr std::size_t most = 600;
  std::string text = std::to_string(n) + " elements of " + std::string(ieee<T>::name) + ":";
  for (std::size_t i = 0; i < n && i < most; ++i) text.append(" ").append(hex(as_bits(x[i])));
  return n > most ? text + " … (the seed makes the rest)" : text;
}

}  // namespace onefold::test
