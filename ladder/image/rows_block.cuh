// SPDX-License-Identifier: Apache-2.0
#pragma once
// image/rows-block: one block a row.
//
// Neighbouring lanes read neighbouring pixels again: lane t takes pixels t, t + blockDim.x, ... of
// its row, and the block folds its lanes' sums as in reduce/shuffle. No atomic is left, no output
// has to be cleared, and the order of the additions is fixed: floats of any kind get the same sum
// in every run.

#include "ladder/reduce/shuffle.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Sums of the rows. For bytes exact while width <= 65,793: 255 * 65,793 = 2^24 - 1.
/// Shape:  in[height][width], sums[height], any size; block a power of two, grid one block a row.
/// Order:  fixed by the block size. Lane 0 writes the sum.
template <class Pixel>
__global__ void row_sums_block(const Pixel* in, unsigned width, unsigned height, float* sums) {
  ONEFOLD_DYNAMIC_SHARED(float, warps);
  const unsigned tid = threadIdx.x, y = blockIdx.x;
  if (y >= height) return;

  float value = 0;
  for (unsigned x = tid; x < width; x += blockDim.x) value += in[std::size_t{y} * width + x];

  value = fold_block<sum<float>>(value, warps);
  if (tid == 0) sums[y] = value;
}

}  // namespace onefold::ladder
