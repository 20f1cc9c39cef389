// SPDX-License-Identifier: Apache-2.0
// What the host decides for the kernels that copy matrices.
#pragma once

#include <algorithm>

#include "cuda/primitives/divisor.hpp"

namespace onefold::cuda {

/// How a matrix is copied: the first two by turn_matrix, the others by copy_any.
enum class transpose_way : unsigned char {
  vectors,   ///< rows to columns, all rows aligned to 16 bytes
  words,     ///< rows to columns
  gather,    ///< rows of a few bytes, one after the other, to columns
  scatter,   ///< a few rows to such columns, with the axes swapped
  elements,  ///< any strides
};

/// What a block of turn_matrix has, and how many of them a multiprocessor. More blocks are slower:
/// what is under way lies in more rows of DRAM then, and L1 has less room for it.
struct turn_block {
  unsigned threads, bytes, blocks;
  unsigned across = 16;                      ///< vectors of 16 bytes of a row of the input
  unsigned columns = 0, rows = 0, step = 0;  ///< of its tile, and rows from tile to tile
  unsigned vector = 0, units = 0;            ///< elements of one; of a row of the output
  unsigned word = 0, group = 0, pieces = 0;  ///< bytes and rows turned at once, and how often
};

/// Of elements of `item` bytes. Aligned: all rows are, to 16 bytes; a tile is 256 bytes wide in
/// both matrices then.
constexpr turn_block turn_block_of(unsigned item, bool aligned) {
  turn_block made = aligned && item == 1   ? turn_block{512, 65536, 2}
                    : aligned && item == 4 ? turn_block{256, 16384, 3}
                    : aligned && item == 8 ? turn_block{128, 8192, 7}
                    : item <= 2            ? turn_block{256, 32768, 4}
                                           : turn_block{256, 16384, 6};
  if (item == 1 && !aligned) made.across = 8;
  made.vector = 16 / item, made.word = std::max(item, 4u), made.group = made.word / item;
  made.columns = made.across * made.vector, made.rows = made.bytes / (made.across * 16);
  made.step = aligned ? made.rows : made.rows - made.vector;
  made.units = made.rows / made.vector, made.pieces = made.bytes / 16 / made.group / made.threads;
  return made;
}

/// The same for device code.
template <int Item, bool Aligned>
inline constexpr turn_block turn_shape = turn_block_of(Item, Aligned);

/// The tile of copy_any; of turn_matrix, how far its tiles are from each other.
struct any_tile {
  unsigned wide, high;                 ///< columns and rows
  unsigned pitch, shared_bytes = 0;    ///< bytes of a row in shared memory, and of all
  divisor by_wide = {}, by_high = {};  ///< of slabs, by the vectors of all and of a column
  bool along_rows = false;  ///< lanes that write elements walk along rows, else along columns
  bool aligned = true;      ///< all elements are aligned to their size
};

}  // namespace onefold::cuda
