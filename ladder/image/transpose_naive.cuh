// SPDX-License-Identifier: Apache-2.0
#pragma once
// image/transpose-naive: every lane carries one pixel to its mirror place.
//
// A block is a rectangle of lanes and folds into warps with x fastest: in a block of 16 x 16 a warp
// is two rows of 16. Its loads are two runs of 16 bytes; its stores go down 16 columns, two bytes
// in each, and every column is a sector of its own. Half of what moves is in order, which is what
// the next rung makes of the other half.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[height][width], out[width][height], any size; a lane a pixel, any block.
template <class Pixel>
__global__ void transpose_naive(const Pixel* in, unsigned width, unsigned height, Pixel* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[std::size_t{x} * height + y] = in[std::size_t{y} * width + x];
}

}  // namespace onefold::ladder
