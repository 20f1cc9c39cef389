// SPDX-License-Identifier: Apache-2.0
// How lanes share what fast sums of rows and columns add up, in parts that are fixed.
#pragma once

#include "cuda/many/columns/shape.hpp"
#include "cuda/many/rows/shape.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda {

/// Vectors of a fast row whose sum is a tree: of f32 two of a slot, of f64 one.
inline constexpr std::int64_t fast_tree_vectors = 32;

/// Of a fast sum, whose chunks are fixed.
struct fast_rows_shape {
  unsigned group;
  int vectors;  ///< of a lane and row; 0: more than eight; below 0: of held_rows, eight lanes a row
  bool aligned;
  int rows;  ///< of a step by way of shared memory: of whole vectors, or short; 0: by registers
  std::int64_t parts;
  int tile = 0;  ///< elements of a row that a step takes by tiles; 0: not by tiles
};

/// By tiles: rows that are not whole vectors, several a step, or one in tiles of whole lines. Eight
/// rows begin with a sector wherever the first does.
inline fast_rows_shape shape_of_fast_tiles(std::int64_t n, std::int64_t width) {
  const std::int64_t rows = (tile_bytes - (16 - width)) / (n * width);
  if (rows == 0) return {32, 0, false, 1, 1, tile_of(n, width)};
  if (rows < 4) return {16, 0, false, rows == 1 ? 1 : 2, 1, int(n)};
  return {8, 0, false, int(rows < 8 ? 4 : rows / 8 * 8), 1, int(n)};
}

/// Of rows that are not whole vectors. Registers take them in tiles of eight rounds of virtual
/// lanes, which is slower where a sixth or more of all tiles of a row is empty.
inline bool go_by_fast_tiles(std::int64_t n, std::int64_t width) {
  constexpr std::int64_t tile = 8 * 64;
  if (n <= 16 || n >= 2048) return false;
  if (n * width <= tile_bytes - (16 - width)) return true;
  return n * 6 <= ceil_quotient(n + 16 / width - 1, tile) * tile * 5;
}

/// By way of registers.
inline fast_rows_shape shape_of_held_rows(const many_block& block, std::int64_t width,
                                          bool aligned) {
  const std::int64_t items = 16 / width;
  const std::int64_t vectors = aligned ? block.n / items : ceil_quotient(block.n - 1, items) + 1;
  const auto most = unsigned(64 / items);
  unsigned group = 1;
  while (group < most && group < vectors) group *= 2;
  const std::int64_t each = ceil_quotient(vectors, group);
  const int some = each == 1 ? 1 : each == 2 ? 2 : each <= 8 ? 8 : 0;
  return {group, some, aligned, 0, ceil_quotient(block.n, tuning::chunk_items)};
}

inline fast_rows_shape shape_of_fast_rows(const many_block& block, std::int64_t width) {
  const std::int64_t bytes = block.n * width;
  const rows_shape staged = shape_of_staged_rows(block, width);
  const bool aligned = staged.aligned;
  const std::int64_t vectors = bytes / 16;
  if (aligned && 16 <= vectors && vectors <= (width == 8 ? 64 : 32)) {
    const int each = vectors == 16 ? 2 : vectors <= 32 ? 4 : 8;
    return {8, -each, true, 0, 1};
  }
  if (!aligned && go_by_fast_tiles(block.n, width)) return shape_of_fast_tiles(block.n, width);
  if (staged.rows == 0) return shape_of_held_rows(block, width, aligned);
  if (bytes / 16 > fast_tree_vectors) return {16, 0, true, std::min(staged.rows, 2), 1};
  return {aligned ? staged.group : 1, 0, aligned, staged.rows, 1};
}

/// How lanes share the parts of a fast answer: chunks of a power of two of them, of which the last
/// is shorter.
struct fast_parts_shape {
  unsigned lanes;  ///< of a chunk, with fast_parts_run parts each
  std::int64_t chunks;
};

inline constexpr unsigned fast_parts_threads = 256;
inline constexpr int fast_parts_run = 16;  ///< loads of a lane on their way
/// One launch joins so many parts; of more it leaves chunks of a warp to a second one, and of as
/// many as 2^31 rows have there is none left.
inline constexpr std::int64_t fast_parts_most = std::int64_t(fast_parts_threads) * fast_parts_run;

inline fast_parts_shape shape_of_fast_parts(std::int64_t parts) {
  if (parts > fast_parts_most) return {32, ceil_quotient(parts, 32 * fast_parts_run)};
  unsigned lanes = 1;
  while (std::int64_t(lanes) * fast_parts_run < parts) lanes *= 2;
  return {lanes, 1};
}

/// Words for the parts of so many answers, and after them for the sums of their chunks.
inline std::int64_t fast_parts_words(std::int64_t answers, std::int64_t parts) {
  const std::int64_t chunks = shape_of_fast_parts(parts).chunks;
  return parts == 1 ? 0 : answers * (parts + (chunks > 1 ? chunks : 0));
}

/// How a warp takes a band of narrow columns; no groups: lanes take vectors.
struct narrow_shape {
  int groups = 0;  ///< side by side: groups * columns <= 32, or one
  int rows = 0;    ///< of a group in a stage
  int pitch = 0;   ///< bytes from one to the next
};

inline constexpr std::int64_t narrow_row_bytes = 256;
inline constexpr std::int64_t narrow_pad_bytes = 256;  ///< of all groups, at most

/// Of columns whose groups of rows begin with vectors. Pads let the lanes of a warp, which read a
/// row of each group, ask for different banks.
inline narrow_shape shape_of_narrow(const many_block& block, std::int64_t width) {
  const std::int64_t row = block.inner * width, group = row * tuning::group_rows;
  const bool based = reinterpret_cast<std::uintptr_t>(block.x) % 16 == 0;
  const bool whole = block.outer == 1 || block.n * row % 16 == 0;
  if (!based || !whole || row > narrow_row_bytes || block.n < 16 * tuning::group_rows) return {};
  if (group > stage_bytes) return {1, int(tuning::group_rows) / 2, 0};
  const std::int64_t groups = stage_bytes / group, pad = ceil_quotient(row, 16) * 16;
  return {int(groups), int(tuning::group_rows), int(group + pad)};
}

/// How a block takes bands of narrow columns; no groups: it does not.
struct banded_shape {
  int groups = 0;  ///< of a stage: groups * columns <= columns_threads
  int pitch = 0;   ///< bytes from one to the next
  int units = 1;   ///< outer indices of a stage, of whole groups each
};

inline constexpr unsigned banded_threads = columns_threads + 32;
inline constexpr std::int64_t banded_stage_bytes = 8192;
inline constexpr std::int64_t banded_pad_bytes = 1024;  ///< of all groups, at most

/// Of columns that warps could take. Stages of a band are alike. As measured on an H200, warps are
/// faster at rows of 104 to 112 bytes and 224, and where answers have a band each that fills less
/// than three quarters of its stages or has 8 bytes a row.
inline banded_shape shape_of_banded(const many_block& block, std::int64_t width) {
  const std::int64_t row = block.inner * width, group = row * tuning::group_rows;
  const bool by_warps = (104 <= row && row <= 112) || row == 224;
  if (shape_of_narrow(block, width).groups == 0 || by_warps) return {};
  const std::int64_t rows = std::min<std::int64_t>(block.n, tuning::band_rows);
  const std::int64_t of_band = ceil_quotient(rows, tuning::group_rows);
  const std::int64_t most = banded_stage_bytes / group;
  const int pitch = int(group + ceil_quotient(row, 16) * 16);
  if (rows == block.n && rows % tuning::group_rows == 0) {
    const std::int64_t units = std::min(most / of_band, ceil_quotient(block.outer, busy_blocks));
    if (units > 1) return {int(units * of_band), pitch, int(units)};
  }
  const std::int64_t groups = ceil_quotient(of_band, ceil_quotient(of_band, most));
  if (rows == block.n && (row == 8 || groups * 4 < most * 3)) return {};
  return {int(groups), pitch};
}

/// Of a fast sum: a block or a warp a band of narrow columns, else a lane a vector and band, in
/// small blocks where there are few.
struct fast_columns_shape {
  columns_shape by;
  narrow_shape narrow;
  banded_shape banded;
};

inline fast_columns_shape shape_of_fast_columns(const many_block& block, std::int64_t width) {
  const std::int64_t items = 16 / width;
  const std::int64_t bands = ceil_quotient(block.n, tuning::band_rows);
  const std::int64_t lanes = ceil_quotient(block.inner, items) * block.outer * bands;
  const unsigned across = lanes < busy_blocks * 64 ? 32 : columns_threads;
  const bool aligned = are_whole_vectors(block.x, block.inner * width);
  columns_shape by = {across, 1, aligned, tuning::band_rows, bands, ceil_quotient(lanes, across)};
  const narrow_shape narrow = shape_of_narrow(block, width);
  const banded_shape banded = shape_of_banded(block, width);
  if (narrow.groups > 0) by.tasks = ceil_quotient(block.outer * bands, banded.units);
  return {by, narrow, banded};
}

/// Blocks for bands of narrow columns, so many a block at once, which take alike long: as many as
/// run at once, or three quarters of them where the last round of all would be mostly empty.
inline unsigned narrow_blocks(std::int64_t bands, unsigned multiprocessors,
                              std::int64_t at_once = columns_threads / 32) {
  const auto blocks = [&](int each) {
    return blocks_at_once(ceil_quotient(bands, at_once), multiprocessors, each);
  };
  const auto slots = [&](unsigned count) { return ceil_quotient(bands, count * at_once) * count; };
  const unsigned all = blocks(column_blocks), fewer = blocks(column_blocks - 1);
  return slots(fewer) * 20 < slots(all) * 19 ? fewer : all;
}

}  // namespace onefold::cuda
