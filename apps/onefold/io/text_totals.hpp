// SPDX-License-Identifier: Apache-2.0
// Sums mantissas of equal scale in 64 bits, before they go to a decimal_sum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "io/text_scan.hpp"
#include "onefold/decimal.hpp"

namespace onefold::program {

/// Costs one 64-bit addition a number. A total goes to the decimal_sum before it overflows, and all
/// of them at the end of the scope.
class scale_totals {
 public:
  explicit scale_totals(decimal_sum& sum) : sum_(sum) {}
  ~scale_totals() {
    for (std::size_t scale = 0; scale < lanes_.size(); ++scale) hand_on(scale);
  }
  scale_totals(const scale_totals&) = delete;
  scale_totals& operator=(const scale_totals&) = delete;

  /// False: the number needs decimal_sum's own parser (-0, 1.5e1, more than 63 bits).
  bool add(const scanned_number& number) {
    if (number.mantissa >> 63 || (number.negative && number.mantissa == 0)) return false;
    const auto magnitude = static_cast<std::int64_t>(number.mantissa);
    const std::int64_t mantissa = number.negative ? -magnitude : magnitude;
    const auto scale = static_cast<std::size_t>(number.scale);
    if (scale < lanes_.size() && !number.exponent) return add_to(scale, mantissa), true;
    if (number.scale == 0) return false;  // scale 0 would mean: written as an integer
    sum_.add(mantissa, number.scale);
    return true;
  }

 private:
  struct lane {
    std::int64_t total = 0;
    std::int64_t count = 0;
  };

  void add_to(std::size_t scale, std::int64_t mantissa) {
    auto& own = lanes_[scale];
    std::int64_t total;
    if (__builtin_add_overflow(own.total, mantissa, &total)) {
      hand_on(scale);
      total = mantissa;
    }
    own.total = total;
    ++own.count;
  }

  void hand_on(std::size_t scale) {
    auto& own = lanes_[scale];
    if (own.count > 0) sum_.add_total(own.total, static_cast<int>(scale), own.count);
    own = {};
  }

  decimal_sum& sum_;
  std::array<lane, 19> lanes_;
};

}  // namespace onefold::program
