// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/modulo: a tree in shared memory, interleaved.
//
// In the step of distance s every lane whose number is a multiple of 2s folds its element with
// the one s further on; the block's answer ends in element 0. Neighbours are combined first, so
// the order of the elements is kept and the operator need only be associative. The lanes that
// work lie 2s apart: every warp keeps working, with fewer and fewer of its lanes, which is what
// the next rung repairs.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; one element a lane.
/// Order:  elements are folded in their order. Lane 0 writes the block's partial.
template <class T, class Operator>
__global__ void reduce_modulo(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  items[tid] = value;
  __syncthreads();

  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
