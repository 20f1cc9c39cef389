// SPDX-License-Identifier: Apache-2.0
// How the warps of a kernel share rows: plain numbers, the same on every device.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "cuda/primitives/grids.hpp"

namespace onefold::cuda {

/// A warp copies tiles of neighbouring rows to shared memory; 1, 2, 4, …, 32 lanes reduce each row.
/// A *unit* is what a lane reads at once: 16 bytes, or one element.
struct row_tile_shape {
  bool inner = false;   ///< units are the whole vectors inside of rows that begin anywhere
  int unit_items = 1;   ///< elements of a unit
  int lanes = 32;       ///< of a row, a power of 2
  int rows = 1;         ///< of a tile: up to 32 / lanes, or a multiple of that
  int piece = 0;        ///< elements of a row in a tile; all, unless rows is 1
  int pitch = 0;        ///< bytes from row to row of a tile
  int alignment = 16;   ///< of what is copied at once
  int stage_bytes = 0;  ///< of a tile in shared memory
  int stages = 2;       ///< of a warp, of which all but one are being filled
  /// Row r begins with unit r % turn_base * turn / turn_base; turn_base is a power of 2.
  int turn = 1, turn_base = 1;
};

inline constexpr int row_tile_bytes = 4096;    ///< of elements in a tile, at most
inline constexpr int row_stages_bytes = 8448;  ///< of shared memory of a warp: two stages
inline constexpr int row_tile_groups = 7;      ///< of rows that a warp reduces at once, in a tile
inline constexpr int row_least_inner_bytes = 64;  ///< of a row that is read by inner vectors
inline constexpr int row_tile_warps = 4;          ///< of a block
inline constexpr int row_tile_blocks = 6;         ///< of a multiprocessor: 203 KiB of its memory

/// Rows of n elements of `width` bytes. vectors: every row is whole vectors of 16 bytes; dense:
/// each begins where its predecessor ends. inner: what lanes add takes whole vectors and elements.
inline row_tile_shape row_tile_shape_of(std::int64_t n, int width, bool vectors, bool dense,
                                        bool inner = false) {
  row_tile_shape made;
  // What one lane adds faster than several: a tile has 28 rows of 37 elements of four bytes.
  const int lane_items = 148 / std::max(width, 4);
  made.inner = inner && !vectors && n > lane_items && n * width >= row_least_inner_bytes;
  const int unit = vectors || made.inner ? 16 : width;
  const int most = vectors ? row_tile_bytes : row_stages_bytes / 2 - 32;  // of a tile
  const int lane_units = unit == 16 ? 8 : lane_items;
  made.unit_items = unit / width;
  if (n * width > row_tile_bytes) {
    made.piece = row_tile_bytes / width;
    made.pitch = row_tile_bytes;
  } else {
    const int bytes = int(n) * width, units = bytes / unit;
    made.piece = int(n);
    made.pitch = dense || vectors ? bytes : (bytes + 30) / 16 * 16;
    made.lanes = 1;
    const int fit = most / made.pitch;  // an eighth of the lanes may have no row
    while (made.lanes < 32 && (units > lane_units * made.lanes || fit * made.lanes < 28))
      made.lanes *= 2;
    const int group = 32 / made.lanes;
    made.rows = fit < group ? fit : std::min(fit / group, row_tile_groups) * group;
    // Rows whose first units are in the same banks begin with different units.
    const int bank_units = std::max(128 / unit / made.lanes, 1);
    if (bank_units > 1 && made.pitch % (unit * made.lanes) == 0) {
      made.turn = std::gcd(made.pitch / (unit * made.lanes), bank_units);
      made.turn_base = made.turn > 2 || unit == 16 ? bank_units : 1;
    }
  }
  // Rows that begin anywhere are copied from the sector or the line before, if that takes no stage
  // (measured: docs/performance/gpu-rows.md). Stages are at multiples of 128 bytes: copies to
  // others took 3 % longer on an H200.
  const auto stage_bytes = [&](int alignment) {
    return (made.rows * made.pitch + (vectors ? 0 : alignment) + 127) / 128 * 128;
  };
  const auto stages = [&](int alignment) {
    return std::min(row_stages_bytes / stage_bytes(alignment), 4);
  };
  if (!vectors) made.alignment = 128;
  while (made.alignment > 32 && stages(made.alignment) < stages(32)) made.alignment /= 2;
  made.stage_bytes = stage_bytes(made.alignment);
  made.stages = stages(made.alignment);
  return made;
}

/// How many additions of a row of n elements are one after another, at most: those of a unit, those
/// of a lane in a tile, those of the tiles, and a tree of the lanes.
inline double row_tile_additions(const row_tile_shape& shape, std::int64_t n) {
  const int unit = shape.unit_items, of_a_unit = unit > 1 ? unit : 0;
  const int of_a_tile = (shape.piece - 1) / (unit * shape.lanes) + 1;
  const std::int64_t tiles = shape.piece < n ? (n - 1) / shape.piece + 1 : 0;
  return double(of_a_unit + of_a_tile + tiles + std::bit_width(unsigned(shape.lanes)) - 1);
}

/// Planes of `count` rows of `items` elements, `stride` bytes from one row to the next; all bytes
/// from `begin` to `end` may be read.
struct strided_rows {
  std::int64_t planes, count, items, stride;
  const std::byte *begin, *end;
  row_tile_shape shape;
  bool vectors;  ///< every row is whole vectors of 16 bytes
};

/// Blocks of a launch, `each` of which run on a multiprocessor; a warp takes `steps` tiles, or, of
/// rows in pieces, as many rows as there are for it: their pieces are neighbours in any case.
inline unsigned blocks_of(const strided_rows& rows, unsigned multiprocessors, int steps,
                          int each = row_tile_blocks) {
  const std::int64_t warps = rows.planes * ((rows.count - 1) / rows.shape.rows + 1);
  const std::int64_t blocks = (warps - 1) / row_tile_warps + 1;
  return grid_of_steps(blocks, multiprocessors, each,
                       rows.shape.piece < rows.items ? all_steps : steps);
}

}  // namespace onefold::cuda
