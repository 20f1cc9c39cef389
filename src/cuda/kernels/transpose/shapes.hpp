// SPDX-License-Identifier: Apache-2.0
// What the host decides for the kernels that copy matrices.
#pragma once

#include <algorithm>
#include <cstdint>

namespace onefold::cuda {

/// What a block of turn_matrix has, and how many of them a multiprocessor. More blocks are slower:
/// what is under way lies in more rows of DRAM then, and L1 has less room for it.
struct turn_block {
  unsigned threads, bytes, blocks;
  unsigned across;               ///< vectors of 16 bytes of a row of the input
  unsigned columns, rows, step;  ///< of its tile, and rows from tile to tile
};

inline constexpr unsigned turn_window = 16;  ///< bytes; 32 were up to 7 % slower on an H200

/// Of elements of `item` bytes. Vectors: all rows are aligned.
constexpr turn_block turn_block_of(unsigned item, bool vectors) {
  turn_block made = !vectors && item <= 2 ? turn_block{256, 32768, 4, 16, 0, 0, 0}
                    : !vectors            ? turn_block{256, 16384, 6, 16, 0, 0, 0}
                    : item == 1           ? turn_block{512, 65536, 2, 16, 0, 0, 0}
                    : item == 2           ? turn_block{256, 32768, 4, 16, 0, 0, 0}
                    : item == 4           ? turn_block{256, 16384, 3, 16, 0, 0, 0}
                                          : turn_block{128, 8192, 7, 16, 0, 0, 0};
  if (!vectors && item == 1) made.across = 8;
  made.columns = made.across * 16 / item;
  made.rows = made.bytes / (made.columns * item);
  made.step = vectors ? made.rows : made.rows - turn_window / item;
  return made;
}

/// The same when it is compiled.
template <int Item, bool Vectors>
struct turn_shape {
  static constexpr turn_block block = turn_block_of(Item, Vectors);
  static constexpr unsigned threads = block.threads, bytes = block.bytes, across = block.across,
                            columns = block.columns, rows = block.rows, step = block.step;
  static constexpr unsigned window = turn_window;
  static constexpr unsigned vector = 16 / Item;        ///< elements of 16 bytes
  static constexpr unsigned word = std::max(Item, 4);  ///< bytes of a column turned at once
  static constexpr unsigned group = word / Item;       ///< rows turned at once
  static constexpr unsigned units = rows / vector;     ///< of 16 bytes of a row of the output
  static constexpr unsigned pieces = across * rows / (group * threads);  ///< of a lane
  static_assert(across % 8 == 0 && units % 8 == 0 && pieces >= 1);
};

/// Blocks walk down panels of a few tiles' width: what a grid has under way is then about as wide
/// as high, and long runs of both matrices are open at once.
struct turn_grid {
  unsigned across, down;  ///< tiles
  unsigned panel;         ///< tiles of a panel's width, at most `across`
};

inline constexpr unsigned narrow_threads = 128;

/// What a block of copy_narrow takes.
struct narrow_slab {
  unsigned share;         ///< elements of a long row
  unsigned shared_bytes;  ///< of shared memory: the slab, wherever it begins, and 16 bytes after it
};

inline constexpr unsigned any_threads = 256;
/// Of shared memory: 128 rows of 33 words.
inline constexpr unsigned any_tile_bytes = 16896;

/// The tile of copy_any.
struct any_tile {
  unsigned wide, high;   ///< columns and rows
  unsigned pitch_bytes;  ///< of a row in shared memory
  unsigned across;       ///< tiles next to each other
  bool along_rows;       ///< the lanes that write walk along rows, else along columns
  bool aligned;          ///< all elements are aligned to their size
};

}  // namespace onefold::cuda
