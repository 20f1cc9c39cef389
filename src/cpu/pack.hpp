// SPDX-License-Identifier: Apache-2.0
// Gathers a stretch of a strided view into contiguous memory, in canonical order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/array_view.hpp"

namespace onefold::cpu {

/// Copies elements [first, first + n) of the canonical order to `to`.
/// Precondition: they exist; `to` has room for n * item_bytes. Source alignment: any.
void pack(const std::byte* origin, const axis_list& axes, std::size_t item_bytes,
          std::int64_t first, std::int64_t n, std::byte* to);

}  // namespace onefold::cpu
