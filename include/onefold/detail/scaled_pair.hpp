// SPDX-License-Identifier: Apache-2.0
// A double-word number with a 64-bit exponent, and its correct rounding.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/round.hpp"

namespace onefold::detail {

/// (high + low) * 2^exponent. Invariant: high = fl(high + low).
struct scaled_pair {
  double high = 1;
  double low = 0;
  std::int64_t exponent = 0;
};

/// The product. Error: at most 6.1 u^2, relative, u = 2^-53, for 1 <= |high| < 2 in both factors
/// and in the result. Source: [joldes2017], Algorithm 12; docs/numerics/product.md.
scaled_pair multiply(const scaled_pair& a, const scaled_pair& b) noexcept;

/// The same number with 1 <= |high| < 2. Precondition: high is normal.
scaled_pair normalised(const scaled_pair& x) noexcept;

/// The significand of a finite double as an integer, and the exponent of its last bit.
struct significand_parts {
  std::uint64_t digits;
  int lsb;
  bool negative;
};
ONEFOLD_HOST_DEVICE constexpr significand_parts significand_of(double x) {
  using format = float_format<double>;
  const std::uint64_t bits = to_bits(x), fraction = bits & (format::hidden_bit - 1);
  const int field = int((bits & format::infinity) >> format::fraction_bits);
  const bool negative = (bits & format::sign_bit) != 0;
  if (field == 0) return {fraction, format::lsb, negative};
  return {fraction | format::hidden_bit, format::lsb + field - 1, negative};
}

/// The number in format T, rounded once, ties to even; beyond the largest finite value: infinity.
/// Precondition: both parts finite.
template <class T>
ONEFOLD_HOST_DEVICE constexpr T rounded(const scaled_pair& x) {
  using format = float_format<T>;
  constexpr std::int64_t far = 1 << 20;  // beyond the exponents of every format
  const significand_parts high = significand_of(x.high), low = significand_of(x.low);
  // In units of 2^(high.lsb - 64), |low| is at most 2^63: half of the last bit of `high`.
  const int shift = low.lsb - (high.lsb - 64);
  std::uint64_t part = 0;
  bool below = false;  // whether bits below one unit are lost
  if (shift >= 0)
    part = low.digits == 0 ? 0 : low.digits << shift;
  else if (shift > -64)
    part = low.digits >> -shift, below = low.digits << (64 + shift) != 0;
  else
    below = low.digits != 0;
  std::uint64_t top = high.digits, rest = part;
  if (low.negative != high.negative) {
    rest = std::uint64_t(0) - part - below;
    top -= part != 0 || below;
  }
  const std::uint64_t upper = top << 1 | rest >> 63, lower = rest << 1 | std::uint64_t(below);
  const std::int64_t digits[4] = {std::int64_t(lower & 0xFFFFFFFF), std::int64_t(lower >> 32),
                                  std::int64_t(upper & 0xFFFFFFFF), std::int64_t(upper >> 32)};
  const std::int64_t exponent = x.exponent > far ? far : x.exponent < -far ? -far : x.exponent;
  const auto bits = round_magnitude<T>({digits, 4}, int(exponent) + high.lsb - 65);
  return from_bits<T>(typename format::bits(high.negative ? bits | format::sign_bit : bits));
}

}  // namespace onefold::detail
