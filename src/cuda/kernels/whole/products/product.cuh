// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of whole arrays of floats, chunk by chunk: the CPU's operations in the CPU's order, so
// the CPU's bits (docs/numerics/product.md). The tree above the chunks is the host's.

#include "cuda/primitives/product_lane.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

/// The lane's share of a chunk.
template <class T>
ONEFOLD_DEVICE product_lane product_of_lane(const T* x, std::int64_t count) {
  product_lane lane;
  const T* const from = x + threadIdx.x;
  const auto element = [&](std::int64_t row) {
    return double_of<T>(bits_at(from + row * std::int64_t(virtual_lanes)));
  };
  const std::int64_t rows = count / virtual_lanes;
  std::int64_t row = 0;
  ONEFOLD_ROLLED
  while (row + product_rows <= rows) {
    ONEFOLD_ROLLED
    for (const std::int64_t end = row + product_rows; row < end; row += 8) {
      double next[8];
      ONEFOLD_UNROLL
      for (int i = 0; i < 8; ++i) next[i] = element(row + i);
      ONEFOLD_UNROLL
      for (int i = 0; i < 8; ++i) lane.multiply(next[i]);
    }
    lane.normalise();
  }
  if (row < rows) {
    ONEFOLD_ROLLED
    for (; row < rows; ++row) lane.multiply(element(row));
    lane.normalise();
  }
  if (count % virtual_lanes != 0) {
    lane.multiply(threadIdx.x < count % virtual_lanes ? element(rows) : 1.0);
    lane.normalise();
  }
  return lane;
}

/// Shape:  x[n], n > 0, aligned to T; parts[chunks * product_lane::words]; a block has
///         virtual_lanes threads; any grid.
/// Error:  docs/numerics/product.md.
/// Order:  the CPU's: parts have the bits of its products of chunks, in any grid.
template <class T>
__global__ void __launch_bounds__(virtual_lanes)
    product_chunks(const T* x, std::int64_t n, std::int64_t* parts) {
  constexpr unsigned half = virtual_lanes / 2;
  __shared__ std::int64_t upper[half * product_lane::words];
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::int64_t first = c * tuning::chunk_items;
    product_lane lane = product_of_lane(x + first, min(n - first, tuning::chunk_items));
    if (threadIdx.x >= half) lane.write(upper + (threadIdx.x - half) * product_lane::words);
    __syncthreads();
    if (threadIdx.x < half) {
      product_lane other;
      other.read(upper + threadIdx.x * product_lane::words);
      lane.append(other);
      for (unsigned step = half / 2; step > 0; step /= 2) lane.append(lane.behind(step));
      if (threadIdx.x == 0) lane.write(parts + c * product_lane::words);
    }
    __syncthreads();
  }
}

}  // namespace onefold::cuda
