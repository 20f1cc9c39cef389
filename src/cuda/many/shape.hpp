// SPDX-License-Identifier: Apache-2.0
// How lanes share rows: plain numbers, the same on every device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/many/many.hpp"
#include "plan/tuning.hpp"

namespace onefold::cuda {

/// Blocks of 256 lanes that keep any device busy: four on each of 264 multiprocessors.
inline constexpr std::int64_t busy_blocks = 1056;

constexpr std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

/// Blocks of a grid that all run at once, `each` of them a multiprocessor.
inline unsigned blocks_at_once(std::int64_t wanted, unsigned multiprocessors, int each) {
  const std::int64_t most = std::int64_t(multiprocessors) * each;
  return unsigned(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(most, 1)));
}

/// Whether rows, or those of columns, are whole vectors.
inline bool are_whole_vectors(const void* x, std::int64_t row_bytes) {
  return row_bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
}

/// Bytes of neighbouring rows that a warp copies to shared memory at once.
inline constexpr std::int64_t stage_bytes = 2048;

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

/// Vectors of a fast row whose sum is a tree: of f32 two of a slot, of f64 one.
inline constexpr std::int64_t fast_tree_vectors = 32;

/// Of a fast sum, whose chunks are fixed.
struct fast_rows_shape {
  unsigned group;
  int vectors;  ///< of a lane and row; 0: more than eight; below 0: of held_rows, eight lanes a row
  bool aligned;
  int rows;  ///< of a step by way of shared memory: of whole vectors, or short; 0: by registers
  std::int64_t parts;
};

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
  if (staged.rows == 0) return shape_of_held_rows(block, width, aligned);
  if (!aligned && bytes > 64) return {staged.rows >= 4 ? 8u : 32u, 0, false, staged.rows, 1};
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

/// Words for the parts of so many answers, and behind them for the sums of their chunks.
inline std::int64_t fast_parts_words(std::int64_t answers, std::int64_t parts) {
  const std::int64_t chunks = shape_of_fast_parts(parts).chunks;
  return parts == 1 ? 0 : answers * (parts + (chunks > 1 ? chunks : 0));
}

}  // namespace onefold::cuda
