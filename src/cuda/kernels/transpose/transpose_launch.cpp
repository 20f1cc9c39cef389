// SPDX-License-Identifier: Apache-2.0
// The choice of a kernel for a copy, and of the shape of its tiles.
#include <algorithm>
#include <cstdlib>

#include "cuda/kernels/transpose/transpose.hpp"

namespace onefold::cuda {
namespace {

// Fewer bytes than these in a row or a column leave most lanes of turn_matrix without work.
constexpr std::int64_t narrow_bytes = 64;
// Of a slab. Of more than few_lines long rows that is less than 256 of each: twice as many then.
constexpr std::int64_t slab_bytes = 8192, few_lines = 32;
// Measured on an H200: rows of 128 bytes are as fast by tiles, those of 64 much slower.
constexpr std::int64_t slab_width = 128;
// Of a tile of elements, and of its row; fewer rows or columns make the other side longer.
constexpr std::int64_t any_bytes = 16384, any_row = 128;

std::int64_t tiles(std::int64_t n, std::int64_t tile) {
  return (n + tile - 1) / tile;
}

// Whether both matrices begin at a multiple of `bytes`, a power of two, and steps are such.
bool aligned(const matrix_copy& copy, std::int64_t bytes, std::int64_t steps) {
  const auto places = reinterpret_cast<std::uintptr_t>(copy.from) |
                      reinterpret_cast<std::uintptr_t>(copy.to) | std::uintptr_t(steps);
  return (places & std::uintptr_t(bytes - 1)) == 0;
}

bool aligned_items(const matrix_copy& copy) {
  const std::int64_t steps = copy.from_row | copy.from_column | copy.to_row | copy.to_column;
  return aligned(copy, copy.item_bytes, steps);
}

transpose_way way_of(const matrix_copy& copy) {
  const std::int64_t item = copy.item_bytes;
  if (copy.from_column != item || copy.to_row != item) return transpose_way::elements;
  const auto slab = [&](std::int64_t rows, std::int64_t columns, std::int64_t step) {
    return aligned_items(copy) && columns <= rows && columns * item <= slab_width &&
           columns * item == step;
  };
  if (slab(copy.rows, copy.columns, copy.from_row)) return transpose_way::gather;
  if (slab(copy.columns, copy.rows, copy.to_column)) return transpose_way::scatter;
  if (std::min(copy.rows, copy.columns) * item < narrow_bytes) return transpose_way::elements;
  const bool vectors = aligned(copy, 16, copy.from_row | copy.to_column);
  return vectors ? transpose_way::vectors : transpose_way::words;
}

any_tile slab_of(const matrix_copy& copy, bool alike) {
  const std::int64_t item = copy.item_bytes, row = copy.columns * item;
  const std::int64_t bytes = copy.columns > few_lines ? 2 * slab_bytes : slab_bytes;
  // A multiple of 64, so that shares of a long row are aligned alike.
  const std::int64_t high = bytes / row / 64 * 64;
  any_tile made = {unsigned(copy.columns), unsigned(high), unsigned(row)};
  made.shared_bytes = unsigned(tiles(high * row + 64, 128) * 128);
  const auto vectors = [&](std::int64_t n) { return unsigned(tiles(n, 16)) + (alike ? 0 : 1); };
  made.by_wide = divisor(vectors(high * row)), made.by_high = divisor(vectors(high * item));
  return made;
}

bool along_rows(const matrix_copy& copy, std::int64_t row, std::int64_t column) {
  return copy.columns == 1 || (copy.rows > 1 && std::llabs(row) < std::llabs(column));
}

any_tile elements_of(const matrix_copy& copy) {
  const std::int64_t item = copy.item_bytes, side = any_row / item;
  std::int64_t wide = std::min(copy.columns, side), high = std::min(copy.rows, any_row);
  // An odd number of words, or of pairs: elements below each other are then in different banks.
  const std::int64_t word = std::max<std::int64_t>(item, 4);
  const auto pitch = [&] { return (tiles(wide * item, word) | 1) * word; };
  if (wide < side)
    high = std::min(copy.rows, any_bytes / pitch());
  else if (high < any_row)
    wide = std::min(copy.columns, any_bytes / (high * item));
  any_tile made = {unsigned(wide), unsigned(high), unsigned(pitch())};
  made.shared_bytes = made.high * made.pitch;
  made.by_wide = divisor(made.wide), made.by_high = divisor(made.high);
  made.along_rows = along_rows(copy, copy.to_row, copy.to_column);
  made.aligned = aligned_items(copy);
  return made;
}

}  // namespace

transpose_launch transpose_launch_of(const matrix_copy& copy) {
  transpose_launch made = {canonical(copy), {}, {}, 0, 0};
  made.way = way_of(made.copy);
  const turn_block block =
      turn_block_of(unsigned(copy.item_bytes), made.way == transpose_way::vectors);
  made.tile.wide = block.columns, made.tile.high = block.step;
  if (made.way == transpose_way::elements) {
    // Lanes that read walk along columns.
    if (along_rows(made.copy, made.copy.from_row, made.copy.from_column))
      made.copy = with_axes_swapped(made.copy);
    made.tile = elements_of(made.copy);
  } else if (!made.by_tiles()) {
    const std::int64_t long_rows =
        made.way == transpose_way::gather ? made.copy.to_column : made.copy.from_row;
    if (made.way == transpose_way::scatter) made.copy = with_axes_swapped(made.copy);
    made.tile = slab_of(made.copy, aligned(made.copy, 16, long_rows));
  }
  made.across = unsigned(tiles(made.copy.columns, made.tile.wide));
  made.down = unsigned(tiles(made.copy.rows, made.tile.high));
  return made;
}

}  // namespace onefold::cuda
