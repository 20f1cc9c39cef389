// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/block-96: the two-stage kernel, given a block that its text allows. For teaching; no
// driver uses it.
//
// The text asks three times for a block that is a multiple of 32. The tree needs a power of two:
// of 96 items it folds 48 onto 48, 24, 12, 6 and 3, and of 3 items half is one. The third is left.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  in[n], n >= 0; partials[grid]; any grid; right for blocks that are powers of two.
template <class T, class Operator>
__global__ void reduce_block_96(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = Operator::identity;
  const std::size_t round = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid; at < n; at += round) {
    value = Operator::fold(value, in[at]);
  }
  items[tid] = value;
  __syncthreads();

  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
