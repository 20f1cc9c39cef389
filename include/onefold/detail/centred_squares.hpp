// SPDX-License-Identifier: Apache-2.0
// n B - A^2, exactly: n times the sum of squared distances from the mean, in wide integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold::detail {

/// x[0 … size) += y * factor, in 32-bit limbs. Precondition: the result fits.
ONEFOLD_HOST_DEVICE constexpr void add_multiple(std::int64_t* x, int size, digits_view y,
                                                std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (int i = 0; i < size && (i < y.size || carry != 0); ++i) {
    carry += std::uint64_t(x[i]) + y.digit(i) * factor;  // at most 2^64 - 1
    x[i] = std::int64_t(carry & 0xFFFFFFFF);
    carry >>= 32;
  }
}

/// x[0 … size) -= y * factor. Returns whether the result would be below zero.
ONEFOLD_HOST_DEVICE constexpr bool subtract_multiple(std::int64_t* x, int size, digits_view y,
                                                     std::uint32_t factor) {
  std::uint64_t product = 0;
  std::int64_t difference = 0;  // its upper half is the borrow
  for (int i = 0; i < size; ++i) {
    product = y.digit(i) * factor + (product >> 32);
    difference = x[i] - std::int64_t(product & 0xFFFFFFFF) + (difference >> 32);
    x[i] = difference & 0xFFFFFFFF;
    if (i >= y.size && product >> 32 == 0 && difference >> 32 == 0) return false;
  }
  return product >> 32 != 0 || difference < 0;
}

/// n B - A^2 for A of up to SumLimbs limbs and B of up to SquareLimbs: limbs times
/// 2^(32 first_limb), in units of the square of A's unit.
template <int SumLimbs, int SquareLimbs>
struct centred_squares {
  static constexpr int capacity = 2 * (SumLimbs + 1) > SquareLimbs + 3 ? 2 * (SumLimbs + 1)
                                                                       : SquareLimbs + 3;
  std::int64_t digits[std::size_t(capacity)];
  int size;
  int first_limb;
  bool below_zero;  ///< true only for sums that are not of the same elements

  ONEFOLD_HOST_DEVICE constexpr digits_view view() const { return {digits, size}; }

  ONEFOLD_HOST_DEVICE constexpr void write(std::int64_t n, const magnitude_digits<SumLimbs>& a,
                                           const magnitude_digits<SquareLimbs>& b) {
    const int from_a = 2 * a.first_limb, from_b = b.first_limb;
    const int end_a = from_a + 2 * a.size, end_b = from_b + b.size + 2;
    first_limb = from_a < from_b ? from_a : from_b;
    size = (end_a > end_b ? end_a : end_b) - first_limb;
    for (int i = 0; i < size; ++i) digits[i] = 0;
    add_at(from_b, b.view(), std::uint32_t(n));
    add_at(from_b + 1, b.view(), std::uint32_t(n >> 32));
    below_zero = false;
    for (int i = 0; i < a.size; ++i)
      if (a.digits[i] != 0) subtract_at(from_a + i, a.view(), std::uint32_t(a.digits[i]));
  }

 private:
  ONEFOLD_HOST_DEVICE constexpr void add_at(int limb, digits_view x, std::uint32_t factor) {
    const int at = limb - first_limb;
    add_multiple(digits + at, size - at, x, factor);
  }
  ONEFOLD_HOST_DEVICE constexpr void subtract_at(int limb, digits_view x, std::uint32_t factor) {
    const int at = limb - first_limb;
    below_zero |= subtract_multiple(digits + at, size - at, x, factor);
  }
};

}  // namespace onefold::detail
