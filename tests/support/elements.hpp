// SPDX-License-Identifier: Apache-2.0
// Single elements of a format, made from their parts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "support/ieee.hpp"
#include "support/random.hpp"

namespace onefold::test {

/// +-1.fraction * 2^exponent; below the normal range +-0.fraction, above it the largest binade.
template <class T>
T make(bool minus, int exponent, bits_of<T> fraction) {
  using format = ieee<T>;
  const int field = std::clamp(exponent + format::bias, 0, format::special - 1);
  return as_float<T>(bits_of<T>(bits_of<T>(field) << format::fraction_bits |
                                (fraction & (format::hidden - 1)) |
                                (minus ? format::sign : bits_of<T>(0))));
}

/// An element of that exponent with a random significand and sign.
template <class T>
T any_of_exponent(random_source& random, int exponent) {
  const std::uint64_t word = random();
  return make<T>(word >> 63, exponent, bits_of<T>(word));
}

/// +-2^exponent, down to the least subnormal.
template <class T>
T power_of_two(bool minus, int exponent) {
  using format = ieee<T>;
  if (exponent > -format::bias) return make<T>(minus, exponent, 0);
  const int shift = std::max(exponent - format::lsb, 0);
  return make<T>(minus, -format::bias, bits_of<T>(bits_of<T>(1) << shift));
}

template <class T>
T negated(T x) {
  return as_float<T>(bits_of<T>(as_bits(x) ^ ieee<T>::sign));
}

/// x towards zero in format T; beyond its range the largest binade.
template <class T>
T chopped(double x) {
  const auto bits = as_bits(x);
  const int exponent = int(bits >> 52 & 2047) - 1023;
  const auto fraction = (bits & (ieee<double>::hidden - 1)) >> (52 - ieee<T>::fraction_bits);
  if (x == 0 || exponent < 1 - ieee<T>::bias) return make<T>(bits >> 63, -ieee<T>::bias, 0);
  return make<T>(bits >> 63, exponent, bits_of<T>(fraction));
}

template <class T>
void shuffle(random_source& random, T* x, std::size_t n) {
  for (std::size_t i = n; i > 1; --i) std::swap(x[i - 1], x[random.below(i)]);
}

template <class T>
bits_of<T> magnitude_bits(T x) {
  return bits_of<T>(as_bits(x) & bits_of<T>(~ieee<T>::sign));
}

}  // namespace onefold::test
