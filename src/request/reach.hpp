// SPDX-License-Identifier: Apache-2.0
// The span of an array's strides, and whether its elements or two arrays overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "onefold/array_view.hpp"

namespace onefold {

/// The bytes from the first byte of the lowest element to the first byte of the highest; nothing
/// where that is 2^63 or more. Precondition: no extent is below one.
inline std::optional<std::int64_t> reach_of(const axis_list& axes) {
  std::int64_t total = 0;
  for (const axis_layout& axis : axes) {
    std::int64_t reach = 0;
    if (axis.extent < 2) continue;
    if (__builtin_mul_overflow(axis.stride_bytes, axis.extent - 1, &reach)) return {};
    if (reach == std::numeric_limits<std::int64_t>::min()) return {};
    if (__builtin_add_overflow(total, reach < 0 ? -reach : reach, &total)) return {};
  }
  return total;
}

/// Some memory.
struct byte_range {
  const std::byte* first;
  const std::byte* last;  // one past the last byte
};

/// From the lowest element of an array to the end of the highest. Precondition: no extent is below
/// one, and reach_of is known.
inline byte_range bytes_of(const void* data, const axis_list& axes, std::int64_t item) {
  byte_range range{static_cast<const std::byte*>(data), static_cast<const std::byte*>(data) + item};
  for (const auto& axis : axes) {
    const std::int64_t reach = (axis.extent - 1) * axis.stride_bytes;
    (reach < 0 ? range.first : range.last) += reach;
  }
  return range;
}

inline bool overlap(const byte_range& a, const byte_range& b) {
  const std::less<> before;
  return before(a.first, b.last) && before(b.first, a.last);
}

/// Whether the stride of each axis exceeds the span of all axes of smaller stride, so that no two
/// elements share a byte. False also for axes that interleave without sharing a byte.
inline bool lies_apart(const axis_list& axes, std::int64_t item_bytes) {
  axis_list steps;  // strides as magnitudes, ascending
  for (const axis_layout& axis : axes) {
    if (axis.extent == 0) return true;
    if (axis.extent == 1) continue;
    if (axis.stride_bytes == std::numeric_limits<std::int64_t>::min()) return false;
    steps.push_back({axis.extent, axis.stride_bytes < 0 ? -axis.stride_bytes : axis.stride_bytes});
  }
  std::sort(steps.begin(), steps.end(),
            [](const auto& a, const auto& b) { return a.stride_bytes < b.stride_bytes; });
  std::int64_t span = item_bytes;
  for (const axis_layout& axis : steps) {
    std::int64_t reach = 0;
    if (axis.stride_bytes < span) return false;
    if (__builtin_mul_overflow(axis.stride_bytes, axis.extent - 1, &reach)) return false;
    if (__builtin_add_overflow(span, reach, &span)) return false;
  }
  return true;
}

/// The error message for an output for which lies_apart() is false.
inline constexpr const char* elements_share_bytes =
    "elements of the output share bytes, or its axes interleave; give each axis a stride that "
    "steps "
    "over all that the axes within it reach";

}  // namespace onefold
