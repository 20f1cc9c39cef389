// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/sequential: the halves of the block are folded onto each other.
//
// The distance starts at half the block and shrinks. Neighbouring lanes touch neighbouring words,
// so no two lanes of a request want different words of one bank. The price is the order: element
// i meets element i + s, abcdefgh folds to aecgbfdh, and from this rung on the operator must
// commute as well as associate.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; one element a lane.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_sequential(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  items[tid] = value;
  __syncthreads();

  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
