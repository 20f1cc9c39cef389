// SPDX-License-Identifier: Apache-2.0
// Which rows have sums of exponentials that warps take by tiles, which a block each, by tiles or
// from memory, and of which a warp takes four at once.
#pragma once

#include <optional>

#include "cuda/nested/strided_rows.hpp"

namespace onefold::cuda {

/// Whether the answers are logsumexp of rows of f16, bf16 or f32, where NaNs count.
inline bool has_log_rows(const nested_request& of) {
  const bool narrow = of.input >= dtype::f16 && of.input != dtype::f64;
  return of.of == accumulator::log_sum && narrow && of.x_kind.type == of.input &&
         of.finish.nan == nan_policy::propagate && of.finish.size > 0 && has_rows(of);
}

/// Of has_log_rows: tiled rows, each in one tile. Otherwise nothing.
inline std::optional<strided_rows> log_tiles_of(const nested_request& of) {
  if (!has_log_rows(of) || of.items * std::int64_t(of.x_kind.bytes) > row_tile_bytes)
    return std::nullopt;
  return rows_of(of);
}

/// Of has_log_rows: rows of whole vectors, longer than a tile, that the warps of a block share, a
/// tile each. Otherwise nothing.
inline std::optional<strided_rows> shared_log_rows_of(const nested_request& of) {
  const auto width = int(of.x_kind.bytes);
  const std::int64_t bytes = of.items * width;
  if (!has_log_rows(of) || bytes <= row_tile_bytes || bytes > row_tile_warps * row_tile_bytes)
    return std::nullopt;
  strided_rows rows = rows_of(of);
  if (!rows.vectors) return std::nullopt;
  rows.shape.piece = (int(bytes) / 16 - 1) / row_tile_warps * (16 / width) + 16 / width;
  return rows;
}

inline constexpr int log_row_units = 4;          ///< vectors that a lane holds
inline constexpr unsigned log_row_lanes = 1024;  ///< of a block and of a multiprocessor, at most

/// Whether a block each is faster than a warp each for the rows of has_log_rows (measured:
/// docs/performance/gpu-rows.md). A warp takes aligned vectors of shorter rows faster.
inline bool suits_log_row_blocks(const nested_request& of, std::int64_t row_bytes) {
  const bool wide = of.x_kind.bytes == 4;
  const bool aligned = reinterpret_cast<std::uintptr_t>(of.x) % 16 == 0 &&
                       (of.outputs == 1 || of.axes.axis[0].x_bytes % 16 == 0);
  if (aligned && row_bytes % 16 == 0) return row_bytes >= (wide ? 1 << 14 : 1 << 15);
  return row_bytes >= (1 << 13) - (wide ? 4 : 0);
}

/// Of has_log_rows: the lanes of a block for each row that is one piece and long enough: whole
/// warps that hold the row, or an equal part of it. Otherwise 0.
inline unsigned log_row_lanes_of(const nested_request& of) {
  const std::int64_t bytes = of.items * std::int64_t(of.x_kind.bytes);
  if (!has_log_rows(of) || !suits_log_row_blocks(of, bytes) || of.pieces > 1) return 0;
  // Two blocks, so that one loads while the other adds, as long as the caches hold both rows.
  constexpr std::int64_t long_row = 1 << 17, lane_bytes = 16 * log_row_units;
  const std::int64_t most = (bytes > long_row ? log_row_lanes : log_row_lanes / 2) * lane_bytes;
  const std::int64_t part = (bytes - 1) / ((bytes - 1) / most + 1) + 1;
  return unsigned((part - 1) / (32 * lane_bytes) + 1) * 32;
}

/// Elements of the longest row that is faster so than with a warp to itself; measured, see
/// docs/performance/gpu-rows.md.
ONEFOLD_HOST_DEVICE inline std::int64_t short_row_items(const nested_request& of) {
  return of.input == dtype::f64 ? 256 : -1;
}

/// Whether a request is of sums of exponentials of f64, of short rows that lie one after the other
/// and all count.
ONEFOLD_HOST_DEVICE inline bool has_short_rows(const nested_request& of) {
  return of.shape == order::chunks && of.of == accumulator::log_sum && of.x_kind.floating &&
         of.x_kind.type == of.input && of.mask == nullptr && of.aligned && of.pieces == 1 &&
         of.axes.all == of.axes.kept + 1 && of.axes.axis[of.axes.kept].x_bytes == of.x_kind.bytes &&
         of.items <= short_row_items(of);
}

}  // namespace onefold::cuda
