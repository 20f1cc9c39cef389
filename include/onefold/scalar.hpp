// SPDX-License-Identifier: Apache-2.0
// A scalar of any element type: an initial value, a bound.
#pragma once

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
    if constexpr (std::floating_point<T>)
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
  std::variant<std::int64_t, std::uint64_t, double> value_;
};

}  // namespace onefold
