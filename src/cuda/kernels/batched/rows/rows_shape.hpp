// SPDX-License-Identifier: Apache-2.0
// How lanes share rows: plain numbers, the same on every device.
#pragma once

#include "cuda/kernels/batched/batched_shape.hpp"

namespace onefold::cuda {

struct rows_shape {
  unsigned group;
  int rows;  ///< of a step of a warp, by way of shared memory; 0: by registers
  bool aligned;
  std::int64_t part, parts;
  int vectors = 0;  ///< of a lane and row, by registers; 0: any
  int tile = 0;     ///< elements of a row that a step takes, by tiles
};

/// Bytes of a stage of tiled_rows: two of four warps and the digits of their sums are below 48 KiB.
inline constexpr std::int64_t tile_bytes = 5120;

/// How many of the lanes that read an element of a row each, of `rows` rows of groups side by side,
/// ask for the same bank, at most.
inline int lanes_at_a_bank(std::int64_t row_bytes, std::int64_t width, int group, int rows) {
  int lanes_of_bank[32] = {}, most = 1;
  for (int row = 0; row < rows; ++row)
    for (int bank = 0; bank < 32 && bank * 4 < group * width; ++bank)
      most = std::max(most, ++lanes_of_bank[(row * row_bytes / 4 + bank) % 32]);
  return most;
}

/// What a row costs that goes with `rows` others in a step, `group` lanes each, in instructions: a
/// step 250, an element of a lane 8, or what its bank takes, the end of a row 150 and 10 a join.
inline double cost_of_tiled_rows(std::int64_t n, std::int64_t width, int group, std::int64_t rows) {
  const std::int64_t side = 32 / group, items = width == 1 ? 16 : width == 2 ? 2 : 1;
  const int banks = lanes_at_a_bank(n * width, width * items, group, int(std::min(side, rows)));
  const double turns = double(ceil_quotient(ceil_quotient(n, items), group));
  const double join = 10 * (31 - __builtin_clz(unsigned(group)));
  const double turn = items == 16 ? 30 : std::max<double>(8 * double(items), 4 * banks);
  const double pass = turns * turn + join + 150;
  return (250 + double(ceil_quotient(rows, side)) * pass) / double(rows);
}

/// Elements of a tile: as few tiles as stages have room for, of whole lines.
inline int tile_of(std::int64_t n, std::int64_t width) {
  const std::int64_t most = (tile_bytes - (16 - width)) / width / 64 * 64;
  return int(ceil_quotient(ceil_quotient(n, ceil_quotient(n, most)), 64) * 64);
}

/// By tiles: several rows a step, or a row in tiles of whole lines, that of parts of `part`
/// elements.
inline rows_shape shape_of_tiled_rows(const batched_block& block, std::int64_t width,
                                      std::int64_t part, std::int64_t parts) {
  const std::int64_t bytes = block.n * width, capacity = tile_bytes - (16 - width);
  if (parts == 1 && bytes <= capacity) {
    rows_shape best = {32, 1, false, part, 1, 0, int(block.n)};
    double least = cost_of_tiled_rows(block.n, width, 32, 1);
    for (int group = 32; group >= 1; group /= 2) {
      const std::int64_t side = 32 / group, most = capacity / bytes;
      for (const std::int64_t rows : {std::min(most, side), most / side * side, most}) {
        if (rows == 0) continue;
        const double cost = cost_of_tiled_rows(block.n, width, group, rows);
        if (cost < least * 0.98) best.group = unsigned(group), best.rows = int(rows), least = cost;
      }
    }
    return best;
  }
  return {32, 1, false, part, parts, 0, tile_of(part, width)};
}

/// By way of shared memory; no rows if a stage has no room for one.
inline rows_shape shape_of_staged_rows(const batched_block& block, std::int64_t width) {
  const std::int64_t bytes = block.n * width, lanes = 32;
  const bool aligned = are_whole_vectors(block.x, bytes);
  const std::int64_t capacity = stage_bytes - (aligned ? 0 : 16 - width);  // wherever a span begins
  const std::int64_t rows =
      std::min<std::int64_t>(capacity / std::max<std::int64_t>(bytes, 1), 256);
  unsigned group = 1;
  while (rows > 0 && group * 2 * rows <= lanes) group *= 2;
  return {group, int(rows >= lanes ? rows / lanes * lanes : rows), aligned, block.n, 1};
}

/// By way of registers, of whole vectors; vectors is 0 for rows that are better staged: of up to
/// 128 bytes, if they leave lanes idle, are of elements of 8 bytes, or have as little to be
/// computed as those of integers; and for rows that take more than a few steps. Eight lanes of a
/// row read whole lines.
inline rows_shape shape_of_held_vectors(const batched_block& block, std::int64_t width,
                                        bool floats) {
  const std::int64_t vectors = block.n * width / 16;
  const bool is_power = (vectors & (vectors - 1)) == 0;
  const int most = width == 8 || floats ? 8 : 4;
  if (vectors <= 8 && (!floats || width == 8 || !is_power)) return {1, 0, true, block.n, 1};
  if (vectors <= 8) return {unsigned(vectors), 0, true, block.n, 1, 1};
  if (vectors <= 16) return {8, 0, true, block.n, 1, 2};
  if (vectors <= 32) return {8, 0, true, block.n, 1, 4};
  unsigned group = 8;
  while (group < 32 && group * most < vectors) group *= 2;
  return {group, 0, true, block.n, 1, vectors > 512 ? 0 : most};
}

inline rows_shape shape_of_rows(const batched_block& block, std::int64_t width,
                                bool floats = true) {
  const std::int64_t items = 16 / width, bytes = block.n * width;
  const rows_shape staged = shape_of_staged_rows(block, width);
  const bool aligned = staged.aligned;
  const std::int64_t vectors =
      aligned ? bytes / 16 : ceil_quotient(block.n + items - 1, items);  // of a row, at most
  if (aligned && bytes > 0) {
    const rows_shape held = shape_of_held_vectors(block, width, floats);
    if (held.vectors > 0) return held;
  }
  // Masks at the edges of vectors cost more than a stage does.
  const bool tiled = !aligned && bytes > (width < 4 ? 16 : 64);
  if (bytes <= 128 && !tiled) return staged;
  if (tiled && bytes < 65536) return shape_of_tiled_rows(block, width, block.n, 1);
  unsigned group = 2;
  while (group < 32 && group * (width == 8 ? 8 : 4) < vectors) group *= 2;
  // A warp a part, of at least 32 KiB.
  const std::int64_t wanted =
      ceil_quotient(busy_blocks * 8, std::max<std::int64_t>(block.outer, 1));
  const std::int64_t most = std::max<std::int64_t>(bytes / (std::int64_t(32) << 10), 1);
  const std::int64_t least = ceil_quotient(block.n, std::int64_t(1) << 29);
  const std::int64_t parts = std::max(std::min(wanted, most), least);
  if (tiled && parts == 1) return shape_of_tiled_rows(block, width, block.n, 1);
  if (parts == 1) return {group, 0, aligned, block.n, 1};
  const std::int64_t part = ceil_quotient(ceil_quotient(block.n, parts), items) * items;
  const std::int64_t cut = ceil_quotient(block.n, part);
  if (tiled) return shape_of_tiled_rows(block, width, part, cut);
  return {32, 0, aligned, part, cut};
}

/// Of x[across][outer][n]: four vectors of a lane on their way, of one row or of several; rows that
/// are longer are parts. Others are as many as keep any device busy twice, at least two.
inline rows_shape shape_of_across(const batched_block& block, std::int64_t width) {
  const std::int64_t items = 16 / width;
  const bool aligned = are_whole_vectors(block.x, block.n * width);
  const std::int64_t vectors = aligned ? block.n / items : ceil_quotient(block.n - 1, items) + 1;
  unsigned group = 1;
  while (group < 8 && group < vectors) group *= 2;
  while (group < 32 && group * 4 < vectors) group *= 2;
  if (vectors > std::int64_t(group) * 4) return {group, 0, aligned, 1, block.across};
  const int each = vectors <= group ? 1 : vectors <= 2 * group ? 2 : 4;
  const std::int64_t groups = busy_blocks * 16 * 32 / group;
  const std::int64_t parts = std::clamp<std::int64_t>(groups / block.outer, 2, block.across);
  const std::int64_t part = ceil_quotient(block.across, parts);
  return {group, 0, aligned, part, ceil_quotient(block.across, part), each};
}

/// Of rows, across one block or several.
inline rows_shape shape_of_any_rows(const batched_block& block, std::int64_t width,
                                    bool floats = true) {
  return block.across > 1 ? shape_of_across(block, width) : shape_of_rows(block, width, floats);
}

}  // namespace onefold::cuda
