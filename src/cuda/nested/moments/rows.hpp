// SPDX-License-Identifier: Apache-2.0
// Which rows have variances that an interval certifies, and how warps share those rows.
#pragma once

#include <optional>

#include "cuda/loaders/row_tiles.hpp"
#include "cuda/nested/nested.hpp"

namespace onefold::cuda {

struct moment_rows {
  strided_rows rows;
  bool vectors;  ///< every row is whole vectors of 16 bytes
  bool means;    ///< sums or means are asked for, too
};

/// Of a multiprocessor, for elements of f64: with five, of 96 registers, loops spill.
inline constexpr int double_row_blocks = 4;

/// Whether the answers are those of rows of neighbouring elements without a mask.
inline bool are_moment_rows(const nested_request& of, std::int64_t correction) {
  const nest_axis& row = of.axes.axis[of.axes.kept];
  const std::int64_t limit = std::int64_t(1) << 31;
  std::int64_t outputs = 1;
  for (int a = 0; a < of.axes.kept; ++a) outputs *= of.axes.axis[a].extent;
  return outputs > 0 && outputs == of.outputs && of.axes.all == of.axes.kept + 1 && of.aligned &&
         row.x_bytes == std::int64_t(of.x_kind.bytes) && of.mask == nullptr && of.items > 0 &&
         of.items < limit && correction > -limit;
}

/// Of moments of floats: rows, and of f16, bf16 and f32 answers in such types. Otherwise nothing.
inline std::optional<moment_rows> moment_rows_of(const nested_request& of) {
  const auto width = int(of.x_kind.bytes);
  const bool narrow = of.x_kind.type != dtype::f64;
  if (of.finish.size == 0 || !are_moment_rows(of, of.finish.correction)) return std::nullopt;
  if (narrow && of.items <= of.finish.correction) return std::nullopt;
  bool means = false;
  for (int i = 0; i < of.finish.size; ++i) {
    const finish_item& asked = of.finish.answers[i];
    if (narrow && (asked.type < dtype::f16 || asked.type == dtype::f64 || asked.what == op::sumsq ||
                   asked.what == op::norm2))
      return std::nullopt;
    means = means || asked.what == op::sum || asked.what == op::mean;
  }
  strided_rows rows = {1, 1, of.items, of.items * width, of.x, of.x + of.items * width, {}};
  if (of.axes.kept > 0) {
    const nest_axis& last = of.axes.axis[of.axes.kept - 1];
    rows.count = last.extent, rows.stride = last.x_bytes, rows.planes = of.outputs / last.extent;
  }
  auto places = std::int64_t(reinterpret_cast<std::uintptr_t>(of.x)) | of.items * width;
  for (int a = 0; a < of.axes.kept; ++a) {
    const std::int64_t reach = (of.axes.axis[a].extent - 1) * of.axes.axis[a].x_bytes;
    (reach < 0 ? rows.begin : rows.end) += reach;
    places |= of.axes.axis[a].x_bytes;
  }
  const bool vectors = places % 16 == 0;
  rows.shape = row_tile_shape_of(of.items, width, vectors, rows.stride == of.items * width);
  return moment_rows{rows, vectors, means};
}

/// Blocks of a launch: as many as run at once, at most.
inline unsigned blocks_of(const moment_rows& of, unsigned width, unsigned multiprocessors) {
  const int at_once = width == 8 ? double_row_blocks : row_tile_blocks;
  const std::int64_t warps = of.rows.planes * ((of.rows.count - 1) / of.rows.shape.rows + 1);
  const std::int64_t blocks = (warps - 1) / row_tile_warps + 1;
  return unsigned(std::min(blocks, std::int64_t(multiprocessors) * at_once));
}

}  // namespace onefold::cuda
