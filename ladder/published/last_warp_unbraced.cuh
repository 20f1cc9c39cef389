// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/last-warp-unbraced: reduce/last-warp with the defect it was printed with. For teaching;
// no driver uses it.
//
// Six lines are meant for the last warp, and the `if` before them has no braces: only the first
// is. The others are run by every lane of the block, past the end of the shared array and across
// warps that nothing holds together.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/last-warp.
template <class T, class Operator>
__global__ void reduce_last_warp_unbraced(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * (2 * blockDim.x) + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  if (at + blockDim.x < n) value = Operator::fold(value, in[at + blockDim.x]);
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = min(blockDim.x / 2, full_warp());
  for (unsigned s = blockDim.x / 2; s > lanes; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid < lanes) items[tid] = Operator::fold(items[tid], items[tid + lanes]);
  for (unsigned s = lanes / 2; s > 0; s /= 2) {
    items[tid] = Operator::fold(items[tid], items[tid + s]);
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
