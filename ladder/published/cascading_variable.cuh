// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/cascading-variable: reduce/cascading with the defect it was printed with. For teaching;
// no driver uses it.
//
// The loop tests one variable and increments another, so it never ends. The declaration that the
// second one lacks is added (published/cascading-undeclared lacks it too); it is volatile, because
// a compiler may take for granted that a loop without side effects ends.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/cascading.
template <class T, class Operator, unsigned Block>
__global__ void reduce_cascading_variable(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = Operator::identity;
  const std::size_t round = std::size_t{gridDim.x} * (2 * Block);
  const std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid;
  volatile std::size_t i = at;
  while (at < n) {
    const T first = in[at];
    T second = Operator::identity;
    if (at + Block < n) second = in[at + Block];
    i = i + round;
    value = Operator::fold(value, Operator::fold(first, second));
  }
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(Block);
  unsigned s = Block / 2;
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
