// SPDX-License-Identifier: Apache-2.0
#pragma once
// image/transpose-tile: turn the square in shared memory, so that stores run along rows too.
//
// A lane loads the pixel at (tx, ty) of its tile and stores the one at (ty, tx): lanes that are
// neighbours in x are neighbours in memory both times. The turn itself is a walk down a column of
// the tile, and that is cheap only where a bank is not asked for many words: rows of 16 bytes are
// four banks apart, so 16 of them share eight banks. A row of a tile is as short as its side, and
// 16 bytes are half a sector, which no arrangement of lanes that carry single bytes cures.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[height][width], out[width][height], any size; block Side x Side, a lane a pixel.
template <class Pixel, unsigned Side>
__global__ void transpose_tile(const Pixel* in, unsigned width, unsigned height, Pixel* out) {
  __shared__ Pixel tile[Side][Side];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned column = blockIdx.x * Side, row = blockIdx.y * Side;

  if (column + tx < width && row + ty < height) {
    tile[ty][tx] = in[std::size_t{row + ty} * width + column + tx];
  }
  __syncthreads();

  // The edge cuts the turned tile where it cut the other one: what is stored was loaded.
  if (column + ty < width && row + tx < height) {
    out[std::size_t{column + ty} * height + row + tx] = tile[tx][ty];
  }
}

}  // namespace onefold::ladder
