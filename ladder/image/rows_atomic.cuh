// SPDX-License-Identifier: Apache-2.0
#pragma once
// image/rows-atomic: 128 pixels of a row a lane, gathered by atomic additions.
//
// The kernel of the columns, turned: it is right, and each lane walks along a row of its own, so
// the 32 bytes of a request lie in 32 rows and fetch 32 sectors. Rows are cut into chunks to
// have more lanes; their sums meet in an atomic addition, in an order that nobody chooses. Floats
// of any kind thus get sums that change from run to run. Sums of bytes do not, as long as they are
// exact: every partial sum of up to 65,793 bytes is an integer below 2^24.

#include "ladder/image/tiles.hpp"
#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Adds the sums of the rows to `sums`, which somebody has to clear before every launch.
/// Shape:  in[height][width], sums[height], any size; any block, chunks along the grid's y.
/// Order:  none between the chunks of a row.
template <class Pixel>
__global__ void row_sums_atomic(const Pixel* in, unsigned width, unsigned height, float* sums) {
  const unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned begin = blockIdx.y * row_chunk;
  if (y >= height) return;

  const unsigned end = min(begin + row_chunk, width);
  float sum = 0;
  for (unsigned x = begin; x < end; ++x) sum += in[std::size_t{y} * width + x];
  atomicAdd(&sums[y], sum);
}

}  // namespace onefold::ladder
