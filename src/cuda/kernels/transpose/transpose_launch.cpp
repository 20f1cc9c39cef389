// SPDX-License-Identifier: Apache-2.0
// The choice of a kernel for a copy, and of the shape of its tiles.
#include <algorithm>
#include <cstdlib>

#include "cuda/kernels/transpose/transpose.hpp"

namespace onefold::cuda {
namespace {

// Measured on an H200: wider panels are 1 to 5 % slower for 1, 2 and 4 bytes, 8 bytes gain 2 %
// at 64.
constexpr unsigned tiles_of_a_panel = 1;

// Fewer bytes than these in a row or a column leave most lanes of turn_matrix without work.
constexpr std::int64_t narrow_bytes = 64;

// Of short rows, for a block. Of more than few_lines long rows as many bytes would be pieces of
// less than 256 of each: twice as many then.
constexpr std::int64_t slab_bytes = 8192, few_lines = 32;
// Measured on an H200: short rows of 128 bytes are as fast by slabs as by tiles, those of 64 much
// faster.
constexpr std::int64_t slab_width = 128;

// Sides of the tile of copy_any by the bytes of an element; fewer rows or columns make the other
// side longer.
constexpr std::int64_t any_side(std::int64_t item) {
  return item == 1 ? 128 : item == 8 ? 32 : 64;
}

std::int64_t tiles(std::int64_t n, std::int64_t tile) {
  return (n + tile - 1) / tile;
}

// Whether all that is copied from and to is at multiples of `bytes`.
bool aligned(const matrix_copy& copy, std::int64_t bytes,
             std::initializer_list<std::int64_t> steps) {
  const auto at = [&](const void* place) {
    return reinterpret_cast<std::uintptr_t>(place) % std::uintptr_t(bytes) == 0;
  };
  return at(copy.from) && at(copy.to) &&
         std::all_of(steps.begin(), steps.end(), [&](auto step) { return step % bytes == 0; });
}

void shape_turns(transpose_launch& launch) {
  const turn_block block =
      turn_block_of(unsigned(launch.copy.item_bytes), launch.way == transpose_way::vectors);
  launch.turns.across = unsigned(tiles(launch.copy.columns, block.columns));
  launch.turns.down = unsigned(tiles(launch.copy.rows, block.step));
  launch.turns.panel = std::min(tiles_of_a_panel, launch.turns.across);
  launch.blocks = launch.turns.across * launch.turns.down;
}

// The pitch of a row of `wide` elements in shared memory: an odd number of words, or of elements of
// two words, so that elements below each other lie in different banks.
std::int64_t pitch_bytes(std::int64_t wide, std::int64_t item) {
  return item == 8 ? (wide | 1) * 8 : (tiles(wide * item, 4) | 1) * 4;
}

// The most columns whose pitch is at most `bytes`.
std::int64_t widest(std::int64_t bytes, std::int64_t item) {
  const std::int64_t step = std::max<std::int64_t>(item, 4), steps = bytes / step;
  return (steps - 1 + steps % 2) * step / item;
}

void shape_items(transpose_launch& launch) {
  const matrix_copy& copy = launch.copy;
  const std::int64_t item = copy.item_bytes, side = any_side(item);
  std::int64_t wide = std::min(copy.columns, side), high = std::min(copy.rows, side);
  if (wide < side)
    high = std::min(copy.rows, any_tile_bytes / pitch_bytes(wide, item));
  else if (high < side)
    wide = std::min(copy.columns, widest(any_tile_bytes / high, item));
  const bool row_is_nearer = std::llabs(copy.to_row) < std::llabs(copy.to_column);
  launch.tiles = {
      unsigned(wide),
      unsigned(high),
      unsigned(pitch_bytes(wide, item)),
      unsigned(tiles(copy.columns, wide)),
      copy.columns == 1 || (copy.rows > 1 && row_is_nearer),
      aligned(copy, item, {copy.from_row, copy.from_column, copy.to_row, copy.to_column})};
  launch.blocks = launch.tiles.across * unsigned(tiles(copy.rows, high));
}

void shape_narrow(transpose_launch& launch) {
  const bool gathers = launch.way == transpose_way::gather;
  const std::int64_t few = gathers ? launch.copy.columns : launch.copy.rows;
  const std::int64_t many = gathers ? launch.copy.rows : launch.copy.columns;
  const std::int64_t bytes = few > few_lines ? 2 * slab_bytes : slab_bytes,
                     item = launch.copy.item_bytes;
  // Whole lines of 64 elements, so that shares of a long row are aligned alike.
  launch.slab.share = unsigned(bytes / (few * item) / 64 * 64);
  launch.slab.shared_bytes = unsigned(tiles(launch.slab.share * few * item + 46, 128) * 128);
  launch.blocks = unsigned(tiles(many, launch.slab.share));
}

// The kernel for rows that become columns.
transpose_way way_of_turn(const matrix_copy& copy) {
  const std::int64_t row = copy.columns * copy.item_bytes, column = copy.rows * copy.item_bytes;
  if (aligned(copy, copy.item_bytes, {copy.from_row, copy.to_column})) {
    if (row <= std::min(column, slab_width) && copy.from_row == row) return transpose_way::gather;
    if (column <= std::min(row, slab_width) && copy.to_column == column)
      return transpose_way::scatter;
  }
  if (std::min(row, column) < narrow_bytes) return transpose_way::items;
  return aligned(copy, 16, {copy.from_row, copy.to_column}) ? transpose_way::vectors
                                                            : transpose_way::words;
}

// Lanes that read walk along columns: those are to be the nearer ones.
matrix_copy with_near_columns(const matrix_copy& copy) {
  const bool row_is_nearer = std::llabs(copy.from_row) < std::llabs(copy.from_column);
  const bool swap = copy.columns == 1 || (copy.rows > 1 && row_is_nearer);
  return swap ? with_axes_swapped(copy) : copy;
}

}  // namespace

transpose_launch transpose_launch_of(const matrix_copy& copy) {
  transpose_launch made = {canonical(copy), transpose_way::items, {}, {}, {}, 0};
  const std::int64_t item = copy.item_bytes;
  if (made.copy.from_column == item && made.copy.to_row == item) made.way = way_of_turn(made.copy);
  switch (made.way) {
  case transpose_way::items:
    made.copy = with_near_columns(made.copy);
    shape_items(made);
    break;
  case transpose_way::gather:
  case transpose_way::scatter:
    shape_narrow(made);
    break;
  default:
    shape_turns(made);
  }
  return made;
}

}  // namespace onefold::cuda
