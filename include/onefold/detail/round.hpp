// SPDX-License-Identifier: Apache-2.0
// Rounding of an integer in 32-bit limbs to a binary format, to nearest, ties to even.
//
// The magnitude is rounded, never a two's complement: rounding a negative number's complement is
// off by one unit in every tie and sticky case. Nothing here is floating-point arithmetic, so no
// compiler flag and no rounding mode of the caller can change a bit.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"

namespace onefold::detail {

/// The steps of the algorithms that the proofs depend on. A test can switch each one off, to show
/// that the oracle detects it. Outside of tests all are on.
struct checks {
  bool binade = true;          ///< an addition that leaves its binade rejects the tile
  bool residual = true;        ///< a residual that the last level rounds off rejects the tile
  bool tile = true;            ///< a chain is drained after as many additions as the proof allows
  bool clamp = true;           ///< no level is below the smallest normal binade
  bool rollback = true;        ///< a rejected tile leaves the counters unchanged
  bool underflow = true;       ///< a product whose error may underflow rejects the tile
  bool error_term = true;      ///< a product's rounding error is added too
  bool sum_residual = true;    ///< moments: a residual of the sum's last level rejects the tile
  bool carry = true;           ///< limbs are normalised before they are read
  bool sticky = true;          ///< bits below the guard bit decide a tie
  bool sign_magnitude = true;  ///< the magnitude is rounded, not the complement
  bool remainder = true;       ///< the remainder of a division or a root decides a tie
  bool add_back = true;        ///< an overestimated digit of a quotient is corrected
};
inline constexpr checks all_checks{};

ONEFOLD_HOST_DEVICE constexpr int bit_width(std::uint64_t x) {
  int width = 0;
  for (int step = 32; step > 0; step /= 2)
    if (x >> step) x >>= step, width += step;
  return width + int(x);
}

/// A non-negative integer in 32-bit limbs, lowest first, for reading its bits.
struct digits_view {
  const std::int64_t* digits;
  int size;

  ONEFOLD_HOST_DEVICE constexpr std::uint64_t digit(int i) const {
    return i < 0 || i >= size ? 0 : static_cast<std::uint64_t>(digits[i]);
  }
  /// The number of bits up to the highest that is set; 0 for zero.
  ONEFOLD_HOST_DEVICE constexpr int width() const {
    for (int i = size - 1; i >= 0; --i)
      if (digits[i] != 0) return 32 * i + bit_width(static_cast<std::uint64_t>(digits[i]));
    return 0;
  }
  /// The 64 bits that begin at position `low` >= 0.
  ONEFOLD_HOST_DEVICE constexpr std::uint64_t bits_from(int low) const {
    const int i = low >> 5, shift = low & 31;
    const std::uint64_t lower = digit(i) | digit(i + 1) << 32;
    return shift == 0 ? lower : lower >> shift | digit(i + 2) << (64 - shift);
  }
  /// Whether any bit below position `end` is set.
  ONEFOLD_HOST_DEVICE constexpr bool any_below(int end) const {
    for (int i = 0; i < end >> 5 && i < size; ++i)
      if (digits[i] != 0) return true;
    return (digit(end >> 5) & ((std::uint64_t(1) << (end & 31)) - 1)) != 0;
  }
};

/// The value limbs * 2^lsb_exponent in format T, without its sign.
/// Error: correctly rounded, ties to even; beyond the largest finite value: infinity.
template <class T, checks Checks = all_checks>
ONEFOLD_HOST_DEVICE constexpr typename float_format<T>::bits round_magnitude(digits_view value,
                                                                             int lsb_exponent) {
  using format = float_format<T>;
  using bits = typename format::bits;
  const int width = value.width();
  if (width == 0) return 0;
  const int top = width - 1 + lsb_exponent;  // exponent of the leading bit
  int lsb = top - format::fraction_bits;     // exponent of the last bit that the result keeps
  if (lsb < format::lsb) lsb = format::lsb;
  const int cut = lsb - lsb_exponent;  // the bit position of the last kept bit
  std::uint64_t kept = 0;
  if (cut <= 0) {
    kept = value.bits_from(0) << -cut;  // all stored bits fit the result: exact
  } else {
    kept = cut >= width ? 0 : value.bits_from(cut);
    const bool guard = (value.bits_from(cut - 1) & 1) != 0;
    const bool sticky = Checks.sticky && value.any_below(cut - 1);
    kept += guard && (sticky || (kept & 1));
  }
  if (kept < format::hidden_bit) return bits(kept);  // subnormal: lsb is the format's own
  const int field = lsb - format::lsb + 1;
  if (field >= format::max_field) return format::infinity;
  // kept may be 2^precision after a carry: the addition then moves the exponent up by one.
  const std::uint64_t rounded =
      (std::uint64_t(field) << format::fraction_bits) + (kept - format::hidden_bit);
  return rounded >= format::infinity ? format::infinity : bits(rounded);
}

}  // namespace onefold::detail
