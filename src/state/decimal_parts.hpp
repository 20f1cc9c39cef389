// SPDX-License-Identifier: Apache-2.0
// The members of decimal_sum: one 128-bit total for each scale, a big integer, and counts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "onefold/decimal.hpp"
#include "state/big_decimal.hpp"
#include "state/decimal_text.hpp"

namespace onefold {

struct decimal_sum::parts {
  static constexpr int near_scales = 19;  // 0..18: prices and measurements
  static constexpr int far_scales = 400;  // -400..400: all that a binary64 can print, in 12.8 KB

  std::int64_t count = 0;  // of all numbers: those below, and the finite ones
  std::int64_t nans = 0;
  std::int64_t plus_infinities = 0;
  std::int64_t minus_infinities = 0;
  std::int64_t negative_zeros = 0;
  std::int64_t not_integers = 0;  // of the finite numbers

  // Each total is below 10^19 * count < 2^127 in magnitude: no addition overflows.
  std::array<detail::int128, near_scales> near{};
  std::vector<detail::int128> far;  // empty until one is needed
  detail::big_decimal big;

  /// Adds a finite number to the totals, and to the counts but `count`.
  void add(const detail::decimal_text& number);
  /// Adds mantissa * 10^-scale to the total of that scale.
  void add(detail::int128 mantissa, int scale);
  void merge(const parts& other);
  /// The sum of the finite numbers, with all digits.
  detail::decimal_magnitude magnitude() const;
};

}  // namespace onefold
