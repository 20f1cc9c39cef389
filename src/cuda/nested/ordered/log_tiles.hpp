// SPDX-License-Identifier: Apache-2.0
// Which rows have sums of exponentials that warps take by tiles.
#pragma once

#include <optional>

#include "cuda/nested/strided_rows.hpp"

namespace onefold::cuda {

/// Of logsumexp of f16, bf16 or f32, where NaNs count: tiled rows, each in one tile.
/// Otherwise nothing.
inline std::optional<strided_rows> log_tiles_of(const nested_request& of) {
  const bool narrow = of.input >= dtype::f16 && of.input != dtype::f64;
  if (of.of != accumulator::log_sum || !narrow || of.x_kind.type != of.input ||
      of.finish.nan != nan_policy::propagate ||
      of.items * std::int64_t(of.x_kind.bytes) > row_tile_bytes)
    return std::nullopt;
  if (of.finish.size == 0 || !has_rows(of)) return std::nullopt;
  return rows_of(of);
}

}  // namespace onefold::cuda
