// SPDX-License-Identifier: Apache-2.0
#pragma once
// How an image is cut into blocks: what one block covers, and the grid that covers the image.
//
// The start functions, the trials and the claims all need it, so it stands once, light enough for
// the instrumented units.

#include <cstddef>

namespace onefold::ladder {

/// An image: rows of `width` bytes, one after the other.
struct image_shape {
  unsigned width = 0, height = 0;
  constexpr std::size_t pixels() const { return std::size_t{width} * height; }
};

/// The pixels that one block covers.
struct image_tile {
  unsigned width, height;
};

inline constexpr unsigned max_grid_y = 65535;  ///< CUDA's; of x, 2^31 - 1
inline constexpr unsigned whole_extent = ~0u;  ///< however many there are
inline constexpr unsigned row_chunk = 128;     ///< pixels of a row that one lane adds up
inline constexpr unsigned packed_side = 128;   ///< pixels: 32 lanes of four bytes, one line

/// The side of a square block, or 0 where no tile kernel has that size.
constexpr unsigned tile_side(unsigned block) {
  return block == 64 ? 8 : block == 256 ? 16 : block == 1024 ? 32 : 0;
}

/// The lanes of a block as a rectangle, a lane a pixel: its width is a power of two, and the least
/// that is not below its height. A block that is no multiple of the width does not fill it.
constexpr image_tile lane_rectangle(unsigned block) {
  unsigned width = 1;
  while (width * width < block) width *= 2;
  return {width, block / width};
}

constexpr image_tile square_tile(unsigned block) {
  return {tile_side(block), tile_side(block)};
}
constexpr image_tile packed_tile(unsigned) {
  return {packed_side, packed_side};
}
constexpr image_tile block_of_columns(unsigned block) {
  return {block, whole_extent};
}
constexpr image_tile block_of_chunks(unsigned block) {
  return {row_chunk, block};
}
constexpr image_tile one_row(unsigned) {
  return {whole_extent, 1};
}

/// Tiles along one side, one at least: an empty image still gets a launch.
constexpr unsigned tiles_along(unsigned extent, unsigned tile) {
  return extent == 0 || tile == 0 ? 1 : (extent - 1) / tile + 1;
}

}  // namespace onefold::ladder
