// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/first-add: reduce/first-add with the defect it was printed with. For teaching; no
// driver uses it.
//
// Every lane loads two elements, but blocks still start blockDim.x apart instead of twice that.
// Neighbouring blocks overlap by half: launched with half the lanes, the kernel reads most of the
// first half of the array twice and the last part never. Nothing is guarded, so a short array is
// read past its end.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/first-add; n is accepted and, as printed, not looked at.
template <class T, class Operator>
__global__ void reduce_first_add(const T* in, std::size_t, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  items[tid] = Operator::fold(in[at], in[at + blockDim.x]);
  __syncthreads();

  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
