// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/identity-zero: reduce/two-stage with the defect it was printed with. For teaching; no
// driver uses it.
//
// Lanes start from zero although the text promises any associative operator, product and maximum
// among them. Zero is the identity of sums alone: every product becomes zero, and so does the
// maximum of negative numbers.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/two-stage.
template <class T, class Operator>
__global__ void reduce_identity_zero(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = T(0);
  const std::size_t round = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid; at < n; at += round) {
    value = Operator::fold(value, in[at]);
  }
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(blockDim.x);
  unsigned s = blockDim.x / 2;
  for (; s > lanes; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid >= lanes) return;
  for (; s > 0; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncwarp(first_lanes(lanes));
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
