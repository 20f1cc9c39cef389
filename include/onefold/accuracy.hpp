// SPDX-License-Identifier: Apache-2.0
// How right: what may be asked for, and what an answer says of itself.
#pragma once

#include <string_view>

namespace onefold {

/// What is asked: the true result rounded once, or a plain tree in the accumulator type.
enum class accuracy : unsigned char { exact, fast };

/// What was delivered: correctly rounded, within a documented bound, or plain.
enum class level : unsigned char { exact, bounded, fast };

constexpr std::string_view name(accuracy which) noexcept {
  return which == accuracy::exact ? "exact" : "fast";
}

constexpr std::string_view name(level which) noexcept {
  constexpr std::string_view names[] = {"exact", "bounded", "fast"};
  return names[static_cast<unsigned>(which)];
}

}  // namespace onefold
