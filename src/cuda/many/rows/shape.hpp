// SPDX-License-Identifier: Apache-2.0
// How lanes share rows: plain numbers, the same on every device.
#pragma once

#include "cuda/many/shape.hpp"

namespace onefold::cuda {

struct rows_shape {
  unsigned group;
  int rows;  ///< of a step of a warp, by way of shared memory; 0: by registers
  bool aligned;
  std::int64_t part, parts;
  int vectors = 0;  ///< of a lane and row, by registers; 0: any
};

/// By way of shared memory; no rows if a stage has no room for one.
inline rows_shape shape_of_staged_rows(const many_block& block, std::int64_t width) {
  const std::int64_t bytes = block.n * width, lanes = 32;
  const bool aligned = are_whole_vectors(block.x, bytes);
  const std::int64_t room = stage_bytes - (aligned ? 0 : 16 - width);  // wherever a span begins
  const std::int64_t rows = std::min<std::int64_t>(room / std::max<std::int64_t>(bytes, 1), 256);
  unsigned group = 1;
  while (rows > 0 && group * 2 * rows <= lanes) group *= 2;
  return {group, int(rows >= lanes ? rows / lanes * lanes : rows), aligned, block.n, 1};
}

/// By way of registers, of whole vectors; vectors is 0 for rows that are better staged: of up to
/// 128 bytes, if they leave lanes idle, are of elements of 8 bytes, or have as little to be
/// computed as those of integers; and for rows that take more than a few steps. Eight lanes of a
/// row read whole lines.
inline rows_shape shape_of_held_vectors(const many_block& block, std::int64_t width, bool floats) {
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

inline rows_shape shape_of_rows(const many_block& block, std::int64_t width, bool floats = true) {
  const std::int64_t items = 16 / width, bytes = block.n * width;
  const rows_shape staged = shape_of_staged_rows(block, width);
  const bool aligned = staged.aligned;
  const std::int64_t vectors =
      aligned ? bytes / 16 : ceil_quotient(block.n + items - 1, items);  // of a row, at most
  if (aligned && bytes > 0) {
    const rows_shape held = shape_of_held_vectors(block, width, floats);
    if (held.vectors > 0) return held;
  }
  // Masks at the edges of vectors cost more than a stage does; of narrow elements it has too many.
  if (bytes <= 128 || (!aligned && floats && width >= 4 && staged.rows > 0)) return staged;
  unsigned group = 2;
  while (group < 32 && group * (width == 8 ? 8 : 4) < vectors) group *= 2;
  // A warp a part, of at least 32 KiB.
  const std::int64_t wanted =
      ceil_quotient(busy_blocks * 8, std::max<std::int64_t>(block.outer, 1));
  const std::int64_t most = std::max<std::int64_t>(bytes / (std::int64_t(32) << 10), 1);
  const std::int64_t least = ceil_quotient(block.n, std::int64_t(1) << 29);
  const std::int64_t parts = std::max(std::min(wanted, most), least);
  if (parts == 1) return {group, 0, aligned, block.n, 1};
  const std::int64_t part = ceil_quotient(ceil_quotient(block.n, parts), items) * items;
  return {32, 0, aligned, part, ceil_quotient(block.n, part)};
}

/// Of x[across][outer][n]: four vectors of a lane on their way, of one row or of several; rows that
/// are longer are parts. Others are as many as keep any device busy twice, at least two.
inline rows_shape shape_of_across(const many_block& block, std::int64_t width) {
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
inline rows_shape shape_of_any_rows(const many_block& block, std::int64_t width,
                                    bool floats = true) {
  return block.across > 1 ? shape_of_across(block, width) : shape_of_rows(block, width, floats);
}

}  // namespace onefold::cuda
