// SPDX-License-Identifier: Apache-2.0
// Quotients of wide integers and roots of quotients, rounded once.
//
// The numerator is cut to its leading bits, so that the integer quotient has a few bits more than
// any format keeps; one sticky bit represents everything cut off or left as a remainder. Integer
// arithmetic only.
//
// Source: D. Knuth, The Art of Computer Programming 2, 4.3.1, Algorithm D, Theorems A and B.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold::detail {

/// A real number in the form that rounding needs. If `significand` is even, the number is
/// significand * 2^exponent; if odd, it is strictly between the two neighbours of that product.
/// Invariant: zero, or at least 56 bits, of which no format keeps the lowest two.
struct sticky_number {
  std::uint64_t significand = 0;
  int exponent = 0;
};

template <class Out, checks Checks>
ONEFOLD_HOST_DEVICE constexpr typename float_format<Out>::bits round_sticky(sticky_number x) {
  const std::int64_t digits[2] = {std::int64_t(x.significand & 0xFFFFFFFF),
                                  std::int64_t(x.significand >> 32)};
  return round_magnitude<Out, Checks>({digits, 2}, x.exponent);
}

/// n * 2^exponent.
template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr sticky_number sticky_of(digits_view n, int exponent) {
  const int width = n.width(), cut = width - 62;
  if (width == 0) return {};
  const std::uint64_t top = cut < 0 ? n.bits_from(0) << -cut : n.bits_from(cut);
  const bool left_over = Checks.sticky && cut > 0 && n.any_below(cut);
  return {top << 1 | std::uint64_t(left_over), exponent + cut - 1};
}

/// The result of a computation before rounding.
struct real_answer {
  enum class form : unsigned char { number, infinity, nan };
  sticky_number magnitude{};  ///< of a number
  form is = form::nan;
  bool minus = false;

  /// In format Out, ties to even; a NaN is the canonical one.
  template <class Out, checks Checks = all_checks>
  ONEFOLD_HOST_DEVICE constexpr Out rounded() const {
    if (is == form::nan) return canonical_nan<Out>();
    return with_sign<Out>(is == form::infinity ? float_format<Out>::infinity
                                               : round_sticky<Out, Checks>(magnitude),
                          minus);
  }
};

/// The 32 bits of x * 2^-low just above the binary point.
ONEFOLD_HOST_DEVICE constexpr std::uint32_t digit_at(digits_view x, int low) {
  if (low <= -32) return 0;
  return std::uint32_t(low < 0 ? x.bits_from(0) << -low : x.bits_from(low));
}

/// One digit of Algorithm D, base 2^32: the quotient of u[0 … 4] by v[0 … 3]; u becomes the
/// remainder. Precondition: v[3] >= 2^31, and the quotient is below 2^32.
template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr std::uint32_t divide_step(std::uint32_t* u, const std::uint32_t* v) {
  // At most 2 above the quotient, never below it: Theorems A and B.
  std::uint64_t digit = 0xFFFFFFFF;
  if (u[4] < v[3]) digit = (std::uint64_t(u[4]) << 32 | u[3]) / v[3];
  std::uint64_t product = 0;
  std::int64_t difference = 0;  // its upper half is the borrow
  for (int i = 0; i < 4; ++i) {
    product = digit * v[i] + (product >> 32);
    difference = std::int64_t(u[i]) - std::int64_t(product & 0xFFFFFFFF) + (difference >> 32);
    u[i] = std::uint32_t(difference);
  }
  std::int64_t top = std::int64_t(u[4]) - std::int64_t(product >> 32) + (difference >> 32);
  while (Checks.add_back && top < 0) {
    --digit;
    std::uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
      sum = std::uint64_t(u[i]) + v[i] + (sum >> 32);
      u[i] = std::uint32_t(sum);
    }
    top += std::int64_t(sum >> 32);
  }
  u[4] = std::uint32_t(top);
  return std::uint32_t(digit);
}

/// floor(n / d * 2^-exponent), and whether that is all of n / d * 2^-exponent.
struct long_quotient {
  wide_product value;
  int exponent;
  bool exact;
};

/// A quotient of Bits or Bits + 1 bits; of Bits … Bits + 2 where the exponent must be even.
/// Precondition: n > 0, 0 < d < 2^128, Bits <= 110.
template <int Bits, bool EvenExponent, checks Checks>
ONEFOLD_HOST_DEVICE constexpr long_quotient divide(digits_view n, digits_view d) {
  constexpr int steps = (Bits + 2 + 31) / 32;
  std::uint32_t u[std::size_t(4 + steps)]{}, v[4]{}, q[4]{};
  const int scale = 128 - d.width();  // v = d 2^scale has its highest bit set
  int cut = n.width() - (128 + Bits);
  if (EvenExponent && ((cut + scale) & 1) != 0) --cut;
  for (int i = 0; i < 4; ++i) v[i] = digit_at(d, 32 * i - scale);
  for (int i = 0; i < 4 + steps; ++i) u[i] = digit_at(n, cut + 32 * i);
  for (int j = steps - 1; j >= 0; --j) q[j] = divide_step<Checks>(u + j, v);
  const bool left_over = (u[0] | u[1] | u[2] | u[3]) != 0 || (cut > 0 && n.any_below(cut));
  return {{std::uint64_t(q[1]) << 32 | q[0], std::uint64_t(q[3]) << 32 | q[2]},
          cut + scale,
          !(Checks.remainder && left_over)};
}

/// floor(sqrt(x)), and x minus the square of it. Precondition: x < 2^112.
struct integer_root {
  std::uint64_t root, remainder;
};
ONEFOLD_HOST_DEVICE constexpr integer_root square_root(wide_product x) {
  std::uint64_t root = 0, rest = 0;
  for (int i = 110; i >= 0; i -= 2) {
    const std::uint64_t two_bits = i >= 64 ? x.high >> (i - 64) : x.low >> i;
    rest = rest << 2 | (two_bits & 3);  // rest <= 2 root before: below 2^60
    const std::uint64_t trial = root << 2 | 1;
    root <<= 1;
    if (rest >= trial) rest -= trial, root |= 1;
  }
  return {root, rest};
}

/// q * 2^exponent. Precondition: q is of Bits = 56.
ONEFOLD_HOST_DEVICE constexpr sticky_number sticky_quotient(const long_quotient& q, int exponent) {
  return {q.value.low << 1 | std::uint64_t(!q.exact), q.exponent + exponent - 1};
}

/// sqrt(q * 2^exponent). Precondition: q is of Bits = 110, both exponents are even.
template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr sticky_number sticky_root(const long_quotient& q, int exponent) {
  const integer_root r = square_root(q.value);
  const bool exact = q.exact && !(Checks.remainder && r.remainder != 0);
  return {r.root << 1 | std::uint64_t(!exact), (q.exponent + exponent) / 2 - 1};
}

/// n / d * 2^exponent. Precondition: d > 0.
template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr sticky_number quotient(digits_view n, int exponent, digits_view d) {
  if (n.width() == 0) return {};
  return sticky_quotient(divide<56, false, Checks>(n, d), exponent);
}

/// sqrt(n / d * 2^exponent). Precondition: d > 0, the exponent is even.
template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr sticky_number root_of_quotient(digits_view n, int exponent,
                                                             digits_view d) {
  if (n.width() == 0) return {};
  return sticky_root<Checks>(divide<110, true, Checks>(n, d), exponent);
}

/// n * 2^exponent / count. Precondition: count > 0.
template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr sticky_number mean_of(digits_view n, int exponent,
                                                    std::int64_t count) {
  const std::int64_t divisor[2] = {count & 0xFFFFFFFF, count >> 32};
  return quotient<Checks>(n, exponent, {divisor, 2});
}

/// sqrt(n * 2^exponent). Precondition: the exponent is even.
template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr sticky_number root_of(digits_view n, int exponent) {
  const std::int64_t one[1] = {1};
  return root_of_quotient<Checks>(n, exponent, {one, 1});
}

/// The same, rounded once.
template <class Out, checks Checks>
ONEFOLD_HOST_DEVICE constexpr typename float_format<Out>::bits
round_mean(digits_view n, int exponent, std::int64_t count) {
  return round_sticky<Out, Checks>(mean_of<Checks>(n, exponent, count));
}
template <class Out, checks Checks>
ONEFOLD_HOST_DEVICE constexpr typename float_format<Out>::bits round_root(digits_view n,
                                                                          int exponent) {
  return round_sticky<Out, Checks>(root_of<Checks>(n, exponent));
}

}  // namespace onefold::detail
