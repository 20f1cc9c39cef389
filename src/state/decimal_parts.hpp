// SPDX-License-Identifier: Apache-2.0
// The grammar of a decimal number; and the members of decimal_sum: one 128-bit total for each
// scale, a big integer, and counts.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "onefold/decimal.hpp"
#include "onefold/status.hpp"
#include "state/big_decimal.hpp"

namespace onefold {
namespace detail {

enum class decimal_kind : unsigned char { finite, infinite, nan };

/// A parsed number: +-(whole fraction) * 10^(exponent - size of fraction).
struct decimal_text {
  decimal_kind kind = decimal_kind::finite;
  bool negative = false;
  bool integer = false;       ///< neither point nor exponent
  std::string_view whole;     ///< digits before the point, without leading zeros
  std::string_view fraction;  ///< digits after the point
  int exponent = 0;
};

/// Parses all of `text` as one number. Fails: malformed, unsupported, as decimal_sum::add does.
status read_decimal(std::string_view text, decimal_text& out);

}  // namespace detail

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
