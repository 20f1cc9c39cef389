// SPDX-License-Identifier: Apache-2.0
// Gathers elements of a range of the loops into contiguous memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/plan.hpp"

namespace onefold::cpu {

/// Copies elements first … first + n - 1 of the nest, counted with its last axis fastest, to `to`.
/// `stride_bytes` selects the operand.
void pack(const std::byte* origin, const loop_nest& axes, std::int64_t loop_axis::*stride_bytes,
          std::size_t item_bytes, std::int64_t first, std::int64_t n, std::byte* to);

/// The same for `outputs` neighbours that are `step_bytes` apart: n elements of the first, then n
/// of the second …, in rows that are `row_bytes` apart. Reads memory along the axis of smaller
/// stride.
void pack_rows(const std::byte* origin, std::int64_t step_bytes, std::int64_t outputs,
               const loop_nest& axes, std::int64_t loop_axis::*stride_bytes, std::size_t item_bytes,
               std::int64_t first, std::int64_t n, std::byte* to, std::int64_t row_bytes);

}  // namespace onefold::cpu
