// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/rows-512: sums of rows by a block of 512 lanes, rewritten after a printed kernel. For
// teaching; no driver uses it.
//
// 512 is a constant of the text: the step of the loop, the length of the shared array and the first
// distance of the tree. A smaller block leaves words of the array unwritten, and the tree reads
// them. A row is blockIdx.y, of which a grid has at most 65,535.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as image/rows-block, for blocks of 512 and up to 65,535 rows; the height is accepted
/// and,
///         as printed, not looked at.
template <class Pixel>
__global__ void row_sums_512(const Pixel* in, unsigned width, unsigned, float* sums) {
  __shared__ float items[512];
  const unsigned tid = threadIdx.x, y = blockIdx.y;

  float value = 0;
  for (unsigned x = tid; x < width; x += 512) value += in[std::size_t{y} * width + x];
  items[tid] = value;
  __syncthreads();

  for (unsigned s = 256; s > 0; s /= 2) {
    if (tid < s) items[tid] += items[tid + s];
    __syncthreads();
  }

  if (tid == 0) sums[y] = items[0];
}

}  // namespace onefold::ladder::published
