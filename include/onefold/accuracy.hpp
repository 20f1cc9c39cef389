// SPDX-License-Identifier: Apache-2.0
// The accuracy that a request asks for, and the level that an answer delivers.
#pragma once

#include <string_view>

namespace onefold {

/// The request: the true result rounded once, or a plain tree in the accumulator type.
enum class accuracy : unsigned char { exact, fast };

/// The guarantee of an answer: correctly rounded, within a documented bound, or plain.
enum class level : unsigned char { exact, bounded, fast };

constexpr std::string_view name(accuracy which) noexcept {
  return which == accuracy::exact ? "exact" : "fast";
}

constexpr std::string_view name(level which) noexcept {
  constexpr std::string_view names[] = {"exact", "bounded", "fast"};
  return names[static_cast<unsigned>(which)];
}

}  // namespace onefold
