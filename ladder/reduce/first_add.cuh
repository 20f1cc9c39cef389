// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/first-add: two elements a lane, folded while loading.
//
// In reduce/sequential half the lanes do nothing after the load. Here half as many blocks cover
// the same elements: a block owns 2 * blockDim.x of them, each lane folds two on the way into
// shared memory, and the first step of the tree is gone. Both loads are guarded on their own: a
// block that starts inside the array may end outside it.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; two elements a lane.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_first_add(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * (2 * blockDim.x) + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  if (at + blockDim.x < n) value = Operator::fold(value, in[at + blockDim.x]);
  items[tid] = value;
  __syncthreads();

  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
