// SPDX-License-Identifier: Apache-2.0
// The minimum and the maximum of decimal numbers, exact as written.
//
// Most numbers are integers below 2^63 over a power of ten: those of one scale are compared as
// integers, in two operations. The others are compared digit by digit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "io/text_scan.hpp"
#include "onefold/decimal.hpp"

namespace onefold::program {

class text_range {
 public:
  /// Adds the number scanned at `first`. Precondition: its mantissa is below 2^63; it is not -0.
  void add(const char* first, const scanned_number& number) {
    const auto scale = static_cast<std::size_t>(number.scale);
    if (scale >= lanes_.size())
      return add(std::string_view(first, static_cast<std::size_t>(number.end - first)));
    const auto magnitude = static_cast<std::int64_t>(number.mantissa);
    const std::int64_t mantissa = number.negative ? -magnitude : magnitude;
    lane& own = lanes_[scale];
    own.least = std::min(own.least, mantissa);
    own.largest = std::max(own.largest, mantissa);
  }
  /// Adds any number in decimal_sum's grammar. A NaN is not part of the range.
  void add(std::string_view text);
  void merge(const text_range& other);

  bool empty() const;
  /// The extrema, each as a sum of one number. -0 is less than 0. Precondition: !empty().
  decimal_sum least() const { return end(true); }
  decimal_sum largest() const { return end(false); }

 private:
  /// A number as written, and its magnitude as 0.digits * 10^top, without outer zeros.
  struct written {
    std::string text;
    std::string digits;
    std::int64_t top;
    bool negative;
  };
  /// The extrema of the mantissas of one scale.
  struct lane {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t largest = std::numeric_limits<std::int64_t>::min();
    bool empty() const { return least > largest; }
  };

  static written read(std::string_view text);
  static written read(std::int64_t mantissa, std::size_t scale);
  static bool before(const written& a, const written& b);
  void include(const written& number);
  decimal_sum end(bool lower) const;

  std::array<lane, 19> lanes_;
  std::optional<written> least_, largest_;  // of the numbers that are in no lane
};

}  // namespace onefold::program
