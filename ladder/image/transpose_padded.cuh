// SPDX-License-Identifier: Apache-2.0
#pragma once
// image/transpose-padded: longer rows, so that a column of the tile spreads over the banks.
//
// A bank is four bytes wide. With rows of Side + 4 bytes a step down the column is an odd number
// of banks (3, 5, 9 for tiles of 8, 16, 32), and odd numbers have no factor in common with 32: all
// rows start in banks of their own. One byte, the byte version of the famous tile of 33 words, is
// not enough: rows then drift through their words, and the last of them comes round to the bank of
// the first.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[height][width], out[width][height], any size; block Side x Side, a lane a pixel.
template <class Pixel, unsigned Side, unsigned Padding>
__global__ void transpose_padded(const Pixel* in, unsigned width, unsigned height, Pixel* out) {
  __shared__ Pixel tile[Side][Side + Padding];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned column = blockIdx.x * Side, row = blockIdx.y * Side;

  if (column + tx < width && row + ty < height) {
    tile[ty][tx] = in[std::size_t{row + ty} * width + column + tx];
  }
  __syncthreads();

  if (column + ty < width && row + tx < height) {
    out[std::size_t{column + ty} * height + row + tx] = tile[tx][ty];
  }
}

}  // namespace onefold::ladder
