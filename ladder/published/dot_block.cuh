// SPDX-License-Identifier: Apache-2.0
#pragma once
// The block of the printed dot products: a constant there, and not the launch's.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// The document does not print its value; its unrolled tree begins at distance 256 and so needs
/// 512.
inline constexpr unsigned dot_block = 512;

/// The interleaved tree of the document, over a block of dot_block.
template <class T>
__device__ __forceinline__ void add_neighbours(T* items, unsigned tid) {
  for (unsigned s = 1; s < dot_block; s *= 2) {
    const unsigned mask = 2 * s - 1;
    if ((tid & mask) == 0) items[tid] += items[tid + s];
    __syncthreads();
  }
}

}  // namespace onefold::ladder::published
