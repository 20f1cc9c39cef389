// SPDX-License-Identifier: Apache-2.0
// Division: by a number that many threads share, a multiplication and a shift.
#pragma once

#include <bit>
#include <cstdint>

#include "onefold/detail/config.hpp"

namespace onefold::cuda {

/// With l = ceil(log2 d) and f = ceil(2^(31 + l) / d), f d = 2^(31 + l) + e with e < d <= 2^l. So
/// n f / 2^(31 + l) = n / d + n e / (d 2^(31 + l)), and the last term is below 1 / d for n < 2^31:
/// too small to reach the next integer.
class divisor {
 public:
  divisor() = default;
  /// 1 <= d <= 2^31.
  explicit constexpr divisor(std::uint32_t d)
      : value_(d), shift_(31 + unsigned(std::bit_width(d - 1))),
        factor_(std::uint32_t(((std::uint64_t(1) << shift_) + d - 1) / d)) {}

  ONEFOLD_HOST_DEVICE constexpr std::uint32_t value() const { return value_; }
  /// n / d. Precondition: n < 2^31.
  ONEFOLD_HOST_DEVICE constexpr std::uint32_t quotient(std::uint32_t n) const {
    return std::uint32_t(std::uint64_t(n) * factor_ >> shift_);
  }

 private:
  std::uint32_t value_ = 1, shift_ = 31, factor_ = std::uint32_t(1) << 31;
};

/// Precondition: a >= 0, b > 0.
ONEFOLD_HOST_DEVICE constexpr std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) == 0) return std::uint32_t(a) / std::uint32_t(b);
  return a / b;
}

}  // namespace onefold::cuda
