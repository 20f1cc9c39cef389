// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of whole arrays of integers, chunk by chunk, as the CPU's engine cuts them. Within a
// chunk order does not matter.

#include "cuda/primitives/integer_product.cuh"
#include "cuda/primitives/warp.cuh"
#include "request/tuning.hpp"

namespace onefold::cuda {

inline constexpr unsigned chunk_threads = 256, chunk_warps = chunk_threads / warp_lanes;

/// Element i. Of bytes at most `most`: 1 of booleans, which any byte but 0 is.
template <class T>
ONEFOLD_DEVICE T element_of(const T* x, std::int64_t i, T most) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return x[i] < most ? x[i] : most;
  else
    return x[i];
}

/// Shape:  x[n], n > 0, of integers of a width; sign: its bit, or 0; parts[chunks *
///         integer_product::words]; a block has chunk_threads threads; any grid.
/// Error:  none, modulo 2^64; `beyond` where the magnitude is 2^64 or more.
/// Order:  none.
template <class T>
__global__ void __launch_bounds__(chunk_threads)
    integer_product_chunks(const T* x, std::int64_t n, T most, T sign, std::int64_t* parts) {
  __shared__ std::uint64_t magnitudes[chunk_warps];
  __shared__ int notes[chunk_warps];
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::int64_t end = min(n, (c + 1) * tuning::chunk_items);
    integer_product product;
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t i = c * tuning::chunk_items + threadIdx.x; i < end; i += chunk_threads) {
      const T element = element_of(x, i, most);
      const bool below = (element & sign) != 0;
      product.take(below ? T(T(0) - element) : element, below);
    }
    for (unsigned step = warp_lanes / 2; step > 0; step /= 2) {
      const std::uint64_t factor = __shfl_xor_sync(whole_warp, product.magnitude, step);
      product.multiply(factor, __shfl_xor_sync(whole_warp, product.notes, step));
    }
    const unsigned warp = threadIdx.x / warp_lanes;
    if (lane_index() == 0) magnitudes[warp] = product.magnitude, notes[warp] = product.notes;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (unsigned w = 1; w < chunk_warps; ++w) product.multiply(magnitudes[w], notes[w]);
      parts[2 * c] = std::int64_t(product.magnitude), parts[2 * c + 1] = product.notes;
    }
    __syncthreads();
  }
}

}  // namespace onefold::cuda
