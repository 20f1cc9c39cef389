// SPDX-License-Identifier: Apache-2.0
// Correct rounding by its definition: is this the nearest number of the format, ties to even?
//
// Nothing is rounded here. A number is compared with the two midpoints around the candidate, in
// integers; a root is compared by squares.
#pragma once

#include <gmpxx.h>

#include <cstdint>

#include "support/ieee.hpp"

namespace onefold::test {

/// top / bottom * 2^exponent, top >= 0, bottom > 0.
struct ratio {
  mpz_class top, bottom = 1;
  int exponent = 0;
};

/// |x| in units of the least subnormal; the infinity counts as the number that would follow.
template <class T>
mpz_class in_units(bits_of<T> magnitude) {
  using format = ieee<T>;
  const int field = int(magnitude >> format::fraction_bits);
  const auto fraction = static_cast<unsigned long>(magnitude & (format::hidden - 1));
  if (field == 0) return fraction;
  return mpz_class(fraction + format::hidden) << unsigned(field - 1);
}

/// The sign of top / bottom * 2^exponent - m * 2^unit.
inline int compare(const ratio& x, const mpz_class& m, int unit) {
  const int low = std::min(x.exponent, unit);
  return cmp(x.top << unsigned(x.exponent - low), (m * x.bottom) << unsigned(unit - low));
}

/// Whether x, or its square root where `power` is 2, rounds to the magnitude with these bits.
template <class Out>
bool rounds_to(const ratio& x, bits_of<Out> bits, int power = 1) {
  using format = ieee<Out>;
  if (bits > format::infinity) return false;
  const bool even = bits % 2 == 0;
  const auto compare_with_midpoint = [&](bits_of<Out> below) {
    const mpz_class twice = in_units<Out>(below) + in_units<Out>(bits_of<Out>(below + 1));
    return compare(x, power == 2 ? twice * twice : twice, power * (format::lsb - 1));
  };
  if (bits > 0) {
    const int side = compare_with_midpoint(bits_of<Out>(bits - 1));
    if (side < 0 || (side == 0 && !even)) return false;
  }
  if (bits == format::infinity) return true;
  const int side = compare_with_midpoint(bits);
  return side < 0 || (side == 0 && even);
}

/// What an answer must be before it is rounded: NaN, an infinity, or a number or its root.
struct exact_answer {
  enum class kind { number, infinity, nan } value_kind = kind::number;
  bool minus = false;
  ratio magnitude;
  int power = 1;  ///< 2 where the answer is the root of `magnitude`
};

template <class Out>
bool matches(bits_of<Out> got, const exact_answer& expected) {
  using format = ieee<Out>;
  if (expected.value_kind == exact_answer::kind::nan) return got == format::nan;
  if (((got & format::sign) != 0) != expected.minus) return false;
  const auto magnitude = bits_of<Out>(got & bits_of<Out>(~format::sign));
  if (expected.value_kind == exact_answer::kind::infinity) return magnitude == format::infinity;
  return rounds_to<Out>(expected.magnitude, magnitude, expected.power);
}

}  // namespace onefold::test
