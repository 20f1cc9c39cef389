// SPDX-License-Identifier: Apache-2.0
#pragma once
// image/transpose-packed: four pixels a lane in one word.
//
// A warp's request now is 32 words, one row of a tile of 128 x 128 pixels and one line of memory,
// in both directions. A lane turns a square of 4 x 4 pixels in registers: it loads four words, one
// below the other, and eight byte permutations make words of their columns. What is left for shared
// memory is to exchange whole words between lanes:
//
//   tile[j * 32 + bx][by] = column j of square (bx, by),    rows of 33 words
//
// A warp writes down a column (33 is odd, so no bank twice) and reads along a row. Words need rows
// that begin at multiples of four; where width or height are no such multiples, words are gathered
// or scattered byte by byte, each byte guarded.

#include "ladder/image/tiles.hpp"
#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Four pixels of a row; those outside the image are 0. `x` is a multiple of 4.
template <class Pixel>
__device__ unsigned load_four(const Pixel* image, unsigned width, unsigned height, unsigned x,
                              unsigned y) {
  if (y >= height || x >= width) return 0;
  const Pixel* at = image + std::size_t{y} * width + x;
  if (width % 4 == 0) return *reinterpret_cast<const unsigned*>(at);
  unsigned word = 0;
  for (unsigned j = 0; j < 4 && x + j < width; ++j) word |= unsigned{at[j]} << (8 * j);
  return word;
}

template <class Pixel>
__device__ void store_four(Pixel* image, unsigned width, unsigned height, unsigned x, unsigned y,
                           unsigned word) {
  if (y >= height || x >= width) return;
  Pixel* at = image + std::size_t{y} * width + x;
  if (width % 4 == 0) {
    *reinterpret_cast<unsigned*>(at) = word;
    return;
  }
  for (unsigned j = 0; j < 4 && x + j < width; ++j) at[j] = static_cast<Pixel>(word >> (8 * j));
}

/// Turns a square of 4 x 4 bytes: byte j of word i becomes byte i of word j.
inline __device__ void turn_square(unsigned (&words)[4]) {
  // Each digit of a selector names a byte: 0 to 3 of the first word, 4 to 7 of the second.
  const unsigned low01 = __byte_perm(words[0], words[1], 0x5140);
  const unsigned low23 = __byte_perm(words[2], words[3], 0x5140);
  const unsigned high01 = __byte_perm(words[0], words[1], 0x7362);
  const unsigned high23 = __byte_perm(words[2], words[3], 0x7362);
  words[0] = __byte_perm(low01, low23, 0x5410);
  words[1] = __byte_perm(low01, low23, 0x7632);
  words[2] = __byte_perm(high01, high23, 0x5410);
  words[3] = __byte_perm(high01, high23, 0x7632);
}

/// Shape:  in[height][width], out[width][height] at multiples of 4 bytes, any size;
///         block 32 x any power of two up to 32, a tile of 128 x 128 pixels a block.
template <class Pixel>
__global__ void transpose_packed(const Pixel* in, unsigned width, unsigned height, Pixel* out) {
  static_assert(sizeof(Pixel) == 1, "A word holds four pixels of one byte each.");
  constexpr unsigned squares = packed_side / 4;  // along a side of the tile
  __shared__ unsigned tile[packed_side][squares + 1];
  const unsigned tx = threadIdx.x;
  const unsigned column = blockIdx.x * packed_side, row = blockIdx.y * packed_side;

  for (unsigned by = threadIdx.y; by < squares; by += blockDim.y) {
    unsigned words[4];
    for (unsigned i = 0; i < 4; ++i) {
      words[i] = load_four(in, width, height, column + 4 * tx, row + 4 * by + i);
    }
    turn_square(words);
    for (unsigned j = 0; j < 4; ++j) tile[j * squares + tx][by] = words[j];
  }
  __syncthreads();

  // Column 4 bx + j of the tile is row 4 bx + j of the turned one.
  for (unsigned bx = threadIdx.y; bx < squares; bx += blockDim.y) {
    for (unsigned j = 0; j < 4; ++j) {
      store_four(out, height, width, row + 4 * tx, column + 4 * bx + j, tile[j * squares + bx][tx]);
    }
  }
}

}  // namespace onefold::ladder
