// SPDX-License-Identifier: Apache-2.0
// A scalar of any element type: an initial value, a bound.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "onefold/detail/config.hpp"

namespace onefold {

/// A 64-bit integer or a double, which hold every narrower type exactly.
class scalar {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> scalar(T value)
  noexcept {  // NOLINT: implicit by design
    if constexpr (std::same_as<T, float>)
      value_ = widened(value);
    else if constexpr (std::floating_point<T>)
      value_ = static_cast<double>(value);
    else if constexpr (std::unsigned_integral<T>)
      value_ = static_cast<std::uint64_t>(value);
    else
      value_ = static_cast<std::int64_t>(value);
  }

  /// Calls f with the std::int64_t, std::uint64_t or double that this is.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(static_cast<F&&>(f), value_);
  }

  friend bool operator==(const scalar&, const scalar&) = default;

 private:
  // Where the caller has set DAZ, a conversion takes a subnormal for zero. A product of normal
  // numbers, as this one is of the same value, does not.
  static double widened(float value) noexcept {
    constexpr std::uint32_t sign = 0x8000'0000, least_normal = 0x0080'0000;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & ~sign;
    if (magnitude >= least_normal) return value;
    const double size = double(magnitude) * 0x1p-149;
    return (bits & sign) != 0 ? -size : size;
  }

  std::variant<std::int64_t, std::uint64_t, double> value_;
};

}  // namespace onefold
