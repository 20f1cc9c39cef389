// SPDX-License-Identifier: Apache-2.0
#pragma once
// dot/exact: integers, which add up to the same bits in any order.
//
// A product is an integer of up to 106 bits at one of some 4,000 positions (exact_product.cuh).
// The block keeps one long integer in shared memory, and each lane adds its product's digits to it
// by 64-bit integer atomics. The order of atomics is nobody's choice, and here it does not matter:
// the block's partial, and with it the rounded answer, has the same bits whatever the schedule,
// the block and the grid. The host adds the partials and rounds once (exact_value.hpp).
//
// Lanes whose products have similar exponents meet in the same limbs, and their atomics queue up:
// the textbook price, which a state for each warp would divide by the number of warps.

#include "ladder/dot/exact_product.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  a[n], b[n], 0 <= n < 2^31; partials[grid]; any block, any grid.
/// Error:  none.
/// Order:  none: integer sums. The lanes write the partial together, lane 0 its flags.
template <class T>
__global__ void dot_exact(const T* a, const T* b, std::size_t n, exact_partial<T>* partials) {
  using format = exact_format<T>;
  __shared__ unsigned long long limbs[format::limbs];
  __shared__ unsigned seen;
  const unsigned tid = threadIdx.x;

  for (unsigned i = tid; i < format::limbs; i += blockDim.x) limbs[i] = 0;
  if (tid == 0) seen = 0;
  __syncthreads();

  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned lane_seen = 0;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid; at < n; at += stride) {
    const exact_product product = multiply_exactly(a[at], b[at]);
    lane_seen |= product.seen;
    for (int k = 0; k < format::digits; ++k) {
      atomicAdd(&limbs[product.limb + k], product.digit(k));
    }
  }
  atomicOr(&seen, lane_seen);
  __syncthreads();

  exact_partial<T>& partial = partials[blockIdx.x];
  for (unsigned i = tid; i < format::limbs; i += blockDim.x) partial.limbs[i] = limbs[i];
  if (tid == 0) partial.seen = seen;
}

}  // namespace onefold::ladder
