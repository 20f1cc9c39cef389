// SPDX-License-Identifier: Apache-2.0
// Whether a kernel may index an output as a contiguous array of its type.
#pragma once

#include <cstdint>

#include "onefold/array_view.hpp"

namespace onefold {

/// Whether the elements are contiguous in the order of their indices, and aligned to their type.
inline bool is_dense(const output_view& to) {
  const auto width = std::int64_t(size_bytes(to.type()));
  std::int64_t step = width;
  for (int i = to.axes().size() - 1; i >= 0; --i) {
    const axis_layout& axis = to.axes()[i];
    if (axis.extent != 1 && axis.stride_bytes != step) return false;
    step *= axis.extent;
  }
  return reinterpret_cast<std::uintptr_t>(to.data()) % std::uintptr_t(width) == 0;
}

}  // namespace onefold
