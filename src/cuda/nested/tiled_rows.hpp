// SPDX-License-Identifier: Apache-2.0
// Requests of rows that the warps of a kernel read by tiles (loaders/row_tiles.cuh).
#pragma once

#include <optional>

#include "cuda/loaders/row_tiles.hpp"
#include "cuda/nested/nested.hpp"

namespace onefold::cuda {

struct tiled_rows {
  strided_rows rows;
  bool vectors;  ///< every row is whole vectors of 16 bytes
};

/// Whether the answers are those of rows of neighbouring elements, without a mask.
inline bool are_tiled_rows(const nested_request& of) {
  const nest_axis& row = of.axes.axis[of.axes.kept];
  std::int64_t outputs = 1;
  for (int a = 0; a < of.axes.kept; ++a) outputs *= of.axes.axis[a].extent;
  return outputs > 0 && outputs == of.outputs && of.axes.all == of.axes.kept + 1 && of.aligned &&
         row.x_bytes == std::int64_t(of.x_kind.bytes) && of.mask == nullptr && of.items > 0 &&
         of.items < std::int64_t(1) << 31;
}

/// The rows of a request that finishes its answers. Otherwise nothing.
inline std::optional<tiled_rows> tiled_rows_of(const nested_request& of) {
  if (of.finish.size == 0 || !are_tiled_rows(of)) return std::nullopt;
  const auto width = int(of.x_kind.bytes);
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
  return tiled_rows{rows, vectors};
}

/// Blocks of a launch: as many as run at once, at most; `at_once` of a multiprocessor.
inline unsigned blocks_of(const tiled_rows& of, unsigned multiprocessors,
                          int at_once = row_tile_blocks) {
  const std::int64_t warps = of.rows.planes * ((of.rows.count - 1) / of.rows.shape.rows + 1);
  const std::int64_t blocks = (warps - 1) / row_tile_warps + 1;
  return unsigned(std::min(blocks, std::int64_t(multiprocessors) * at_once));
}

}  // namespace onefold::cuda
