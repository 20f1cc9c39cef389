// SPDX-License-Identifier: Apache-2.0
// The rows of a strided request, as tiles in shared memory take them.
#pragma once

#include "cuda/kernels/strided/strided.hpp"
#include "cuda/loaders/row_tiles.hpp"

namespace onefold::cuda {

/// Whether the answers are those of all rows of neighbouring, aligned elements, without a mask.
inline bool has_rows(const strided_request& request) {
  std::int64_t outputs = 1;
  for (int a = 0; a < request.axes.kept; ++a) outputs *= request.axes.axis[a].extent;
  const bool neighbours = request.axes.all == request.axes.kept + 1 &&
                          request.axes.axis[request.axes.kept].x_bytes == request.x_kind.bytes;
  return outputs > 0 && outputs == request.outputs && request.items > 0 && request.aligned &&
         request.mask == nullptr && (neighbours || request.items == 1);
}

/// The last kept axis counts rows, the others planes. inner: as of row_tile_shape_of.
/// Precondition: has_rows(request).
inline strided_rows rows_of(const strided_request& request, bool inner = false) {
  const auto width = int(request.x_kind.bytes);
  const std::int64_t bytes = request.items * width;
  strided_rows rows = {1, 1, request.items, bytes, request.x, request.x + bytes, {}, false};
  if (request.axes.kept > 0) {
    const nest_axis& last = request.axes.axis[request.axes.kept - 1];
    rows.count = last.extent, rows.stride = last.x_bytes,
    rows.planes = request.outputs / last.extent;
  }
  auto places = std::int64_t(reinterpret_cast<std::uintptr_t>(request.x)) | bytes;
  for (int a = 0; a < request.axes.kept; ++a) {
    const std::int64_t reach = (request.axes.axis[a].extent - 1) * request.axes.axis[a].x_bytes;
    (reach < 0 ? rows.begin : rows.end) += reach;
    places |= request.axes.axis[a].x_bytes;
  }
  rows.vectors = places % 16 == 0;
  rows.shape = row_tile_shape_of(request.items, width, rows.vectors, rows.stride == bytes, inner);
  return rows;
}

/// Whether vectors of 16 bytes hold several whole rows each, and the answers of a vector, of so
/// many bytes a row, are one piece at out: such rows are read by loaders/packed_rows.cuh.
inline bool are_packed(const strided_rows& rows, unsigned width, const void* out,
                       std::int64_t answer_bytes) {
  const std::int64_t bytes = rows.items * width;
  const auto places =
      reinterpret_cast<std::uintptr_t>(rows.begin) | reinterpret_cast<std::uintptr_t>(out);
  const bool whole = rows.items > 1 && (bytes == 2 || bytes == 4 || bytes == 8);
  return whole && rows.planes == 1 && rows.stride == bytes && places % 16 == 0 &&
         answer_bytes <= bytes;
}

}  // namespace onefold::cuda
