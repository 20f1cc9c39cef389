// SPDX-License-Identifier: Apache-2.0
// How lanes share columns: plain numbers, of how many blocks a device runs at once.
#pragma once

#include <limits>
#include <numeric>

#include "cuda/kernels/batched/batched_shape.hpp"

namespace onefold::cuda {

inline constexpr unsigned columns_threads = 128;
/// Blocks that a multiprocessor runs at once, of 128 registers: with 80 for half as many more,
/// kernels were 3 to 5 % slower.
inline constexpr int column_blocks = 4;

struct columns_shape {
  unsigned across, down;
  bool aligned;
  std::int64_t part, parts, tasks;  ///< part: in rows, of which `merged` are one
  int merged = 1;
  std::int64_t cuts = 1, blocks = 1;  ///< as of columns_arguments
};

/// Whether outer indices follow each other without gaps.
inline bool is_dense(const batched_block& block) {
  const column_places& at = block.places;
  return at.axes == 0 || (at.axes == 1 && at.outer[0] == block.n * block.inner);
}

/// Rows of columns that are read as one, so that it is whole vectors: their parts of an answer are
/// worth it if each has 4 KiB, of which the sums of one are 1 %.
inline int merged_rows(const batched_block& block, std::int64_t width) {
  const bool based = reinterpret_cast<std::uintptr_t>(block.x) % 16 == 0 &&
                     block.places.inner == 1 && block.places.row == block.inner &&
                     block.across == 1 && is_dense(block);
  const std::int64_t merged = 16 / std::gcd(std::int64_t(16), block.inner * width);
  const bool whole = block.outer == 1 || block.n % merged == 0;
  return based && whole && block.n * width >= merged * 4096 ? int(merged) : 1;
}

/// Tiles of `across` lanes, of which each has parts of `part` rows.
inline columns_shape cut_columns(const batched_block& block, std::int64_t vectors,
                                 unsigned most_across, std::int64_t parts_of_tiles) {
  const auto across = unsigned(ceil_quotient(vectors, ceil_quotient(vectors, most_across)));
  const std::int64_t tiles = ceil_quotient(vectors, across);
  const auto down =
      unsigned(std::clamp<std::int64_t>(ceil_quotient(block.n, 4), 1, columns_threads / across));
  const std::int64_t most = std::max<std::int64_t>(block.n / (std::int64_t(down) * 16), 1);
  const std::int64_t wanted = std::clamp<std::int64_t>(parts_of_tiles / tiles, 1, most);
  const std::int64_t part = std::max<std::int64_t>(ceil_quotient(block.n, wanted), 1);
  const std::int64_t parts = std::max<std::int64_t>(ceil_quotient(block.n, part), 1);
  return {across, down, false, part, parts, tiles * parts};
}

/// What a shape costs: bytes that one of the `blocks` that run at once could read meanwhile. As
/// measured on an H200, a task's beginning and end take as long as 27 KB, a second kernel 17 KB;
/// few blocks read faster each, up to 2.1 times as fast.
inline double cost_of_columns(const columns_shape& s, std::int64_t answers, std::int64_t blocks) {
  const auto of_blocks = [&](std::int64_t k) { return double(k) / double(blocks); };
  const std::int64_t waves = s.tasks / blocks;
  const double rest = of_blocks(s.tasks % blocks), idle = (1 - rest) * (1 - rest);
  const double last = rest > 0 ? std::max(1 / 2.1, rest / (1 - idle * idle)) : 0;
  const double task_bytes = 16.0 * s.across * double(s.part) + 27e3;
  const double parts_bytes = s.parts > 1 ? 17e3 + 32 * of_blocks(answers * s.parts) : 0;
  return (double(waves) + last) * task_bytes + parts_bytes;
}

/// Parts of whole blocks of rows, or parts of these.
inline void cut_across(columns_shape& shape, std::int64_t rows, std::int64_t across) {
  const std::int64_t tiles = shape.tasks / shape.parts;
  shape.blocks = std::clamp<std::int64_t>(shape.part / rows, 1, across);
  shape.cuts = ceil_quotient(rows, std::min(shape.part, rows));
  shape.part = ceil_quotient(rows, shape.cuts), shape.cuts = ceil_quotient(rows, shape.part);
  shape.parts = ceil_quotient(across, shape.blocks) * shape.cuts;
  shape.tasks = tiles * shape.parts;
}

/// Whether neighbours make vectors that are all at the multiple of 16 bytes that the first is at.
inline bool has_whole_steps(const batched_block& block, std::int64_t width) {
  const column_places& at = block.places;
  std::int64_t bits = at.row | at.across;
  for (int a = 0; a < at.axes; ++a) bits |= at.outer[a];
  return at.inner == 1 && bits * width % 16 == 0;
}

/// Of the shapes that keep all blocks busy once or a few times the cheapest.
inline columns_shape shape_of_columns(batched_block block, std::int64_t width) {
  const std::int64_t blocks = std::int64_t(block.multiprocessors) * column_blocks;
  const int merged = merged_rows(block, width);
  const std::int64_t rows = block.n / merged, across = block.across;
  block.n = rows * across, block.inner *= merged;
  const std::int64_t vectors = ceil_quotient(block.inner, 16 / width) * block.outer;
  columns_shape best = {};
  double least = std::numeric_limits<double>::infinity();
  for (unsigned lanes = columns_threads; lanes >= 32; lanes /= 2)
    for (const int waves : {0, 1, 2, 3, 4, 8}) {
      const columns_shape shape = cut_columns(block, vectors, lanes, waves * blocks);
      const double cost = cost_of_columns(shape, block.outer * block.inner, blocks);
      if (cost < least) best = shape, least = cost;
    }
  best.cuts = best.parts;
  if (across > 1) cut_across(best, rows, across);
  best.parts *= merged, best.merged = merged;
  block.places.row *= merged;
  best.aligned = are_whole_vectors(block.x, block.inner * width) && has_whole_steps(block, width);
  return best;
}

}  // namespace onefold::cuda
