// SPDX-License-Identifier: Apache-2.0
// n (n - c) for any finite double c, exactly, and quotients by such wide divisors, rounded once.
// For the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/detail/centred_squares.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/quotient.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold::detail {

/// Whether a finite c is an integer of magnitude below 2^63. By its bits: a comparison takes a
/// subnormal number for zero where the caller's floating-point environment says so.
constexpr bool is_whole(double c) {
  const auto bits = to_bits(c);
  const std::int64_t magnitude = significand<double>(bits);
  const int exponent = float_format<double>::lsb + unit_shift<double>(bits);
  if (exponent >= 0) return exponent <= 10;
  return magnitude == 0 ||
         (exponent > -53 && (magnitude & ((std::int64_t(1) << -exponent) - 1)) == 0);
}

/// n (n - c) = digits * 2^exponent, for n > c; the exponent is even.
struct real_divisor {
  static constexpr int difference_limbs = 37;  ///< n - c in units of 2^-1074 is below 2^1138
  static constexpr int limbs = difference_limbs + 3;
  std::int64_t digits[limbs] = {};
  int exponent = 0;

  constexpr real_divisor(std::int64_t n, double c) {
    const auto bits = to_bits(c);
    std::int64_t magnitude = significand<double>(bits);
    int lsb = float_format<double>::lsb + unit_shift<double>(bits);
    if (lsb < 0 && lsb % 2 != 0) --lsb, magnitude *= 2;
    exponent = lsb < 0 ? lsb : 0;
    wide_digits<difference_limbs> wide;
    wide.deposit(n, -exponent);
    wide.deposit((bits & float_format<double>::sign_bit) != 0 ? magnitude : -magnitude,
                 lsb - exponent);
    magnitude_digits<difference_limbs> difference{};
    wide.write_magnitude(difference);
    exponent += 32 * difference.first_limb;
    add_multiple(digits, limbs, difference.view(), std::uint32_t(n));
    add_multiple(digits + 1, limbs - 1, difference.view(), std::uint32_t(n >> 32));
  }
  constexpr digits_view view() const { return {digits, limbs}; }
};

/// As divide, for a divisor of any width. Limbs: the most that n has.
template <int Bits, bool EvenExponent, int Limbs>
constexpr long_quotient divide_by_wide(digits_view n, const real_divisor& d) {
  const digits_view whole = d.view();
  const int over = whole.width() - 128, cut = over > 0 ? over + over % 2 : 0;
  std::int64_t top[4]{};
  for (int i = 0; i < 4; ++i) top[i] = digit_at(whole, cut + 32 * i);
  long_quotient q = divide<Bits, EvenExponent, all_checks>(n, {top, 4});
  q.exponent -= cut;
  if (cut == 0) return q;
  // q is the quotient or one above it: rest = n - q d 2^exponent says which.
  const int up = q.exponent < 0 ? -q.exponent : 0, shift = q.exponent < 0 ? 0 : q.exponent;
  constexpr int size = (Limbs > real_divisor::limbs ? Limbs : real_divisor::limbs) + 8;
  std::int64_t rest[std::size_t(size)]{};
  for (int i = 0; i < size; ++i) rest[i] = digit_at(n, 32 * i - up);
  const std::int64_t digits[4] = {
      std::int64_t(q.value.low & 0xFFFFFFFF), std::int64_t(q.value.low >> 32),
      std::int64_t(q.value.high & 0xFFFFFFFF), std::int64_t(q.value.high >> 32)};
  bool below_zero = false;
  for (int i = 0; i < 5; ++i) {
    const std::uint32_t digit = digit_at({digits, 4}, 32 * i - shift % 32);
    const int at = shift / 32 + i;
    if (digit != 0) below_zero |= subtract_multiple(rest + at, size - at, whole, digit);
  }
  if (below_zero) {
    q.value.high -= q.value.low == 0;
    --q.value.low;
  }
  q.exact = !below_zero && digits_view{rest, size}.width() == 0;
  return q;
}

}  // namespace onefold::detail
