// SPDX-License-Identifier: Apache-2.0
#pragma once
// image/columns: one lane a column.
//
// Neighbouring lanes read neighbouring pixels of a row and walk down together, so every request is
// one run of bytes, and no lane needs another's sum. Only the image's width is worked on at once:
// a picture of 2,048 columns keeps 2,048 lanes busy, on a device that holds a hundred times as
// many.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Sums of the columns. For bytes exact while height <= 65,793: 255 * 65,793 = 2^24 - 1.
/// Shape:  in[height][width], sums[width], any size; any block.
/// Order:  from top to bottom.
template <class Pixel>
__global__ void column_sums(const Pixel* in, unsigned width, unsigned height, float* sums) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;

  float sum = 0;
  for (unsigned y = 0; y < height; ++y) sum += in[std::size_t{y} * width + x];
  sums[x] = sum;
}

}  // namespace onefold::ladder
