// SPDX-License-Identifier: Apache-2.0
// What the host decides for the kernels that copy matrices.
#pragma once

#include <algorithm>
#include <cstdint>

namespace onefold::cuda {

inline constexpr unsigned turn_threads = 256;
inline constexpr unsigned turn_tile_bytes = 16384;

/// The tile of turn_matrix, of elements of `Item` bytes.
template <int Item>
struct turn_shape {
  static constexpr unsigned vector = 16 / Item;          ///< elements of 16 bytes
  static constexpr unsigned word = std::max(Item, 4);    ///< bytes of a column turned at once
  static constexpr unsigned group = word / Item;         ///< rows turned at once
  static constexpr unsigned across = Item < 4 ? 8 : 16;  ///< vectors of a row of the input
  static constexpr unsigned columns = across * vector;
  static constexpr unsigned rows = turn_tile_bytes / (columns * Item);
  static constexpr unsigned units = rows / vector;  ///< of 16 bytes of a row of the output
  static constexpr unsigned pieces = across * rows / (group * turn_threads);  ///< of a lane
  static_assert(across % 8 == 0 && units % 8 == 0 && pieces * group == 4);
};

/// Blocks walk down panels of a few tiles' width: what a grid has under way is then about as wide
/// as high, and long runs of both matrices are open at once.
struct turn_grid {
  unsigned across, down;  ///< tiles
  unsigned panel;         ///< tiles of a panel's width, at most `across`
};

/// What copy_narrow takes of short rows that lie one behind the other.
inline constexpr unsigned narrow_slab_bytes = 16384;

inline constexpr unsigned any_threads = 256;
/// Of shared memory: 128 rows of 33 words.
inline constexpr unsigned any_tile_bytes = 16896;

/// The tile of copy_any.
struct any_tile {
  unsigned wide, high;   ///< columns and rows
  unsigned pitch_bytes;  ///< of a row in shared memory
  unsigned across;       ///< tiles beside each other
  bool along_rows;       ///< the lanes that write walk along rows, else along columns
  bool aligned;          ///< all elements are aligned to their size
};

}  // namespace onefold::cuda
