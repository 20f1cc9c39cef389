// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/dot-kahan: compensation where there is nothing to compensate. For teaching; no driver
// uses it.
//
// A lane adds its single product to zero by Kahan's formula, which loses nothing, and the loss is
// dropped; the tree, where rounding happens, is the plain one. So every partial has the bits of the
// plain tree. One case differs, for the worse: a product of -0 becomes +0.

#include "ladder/dot/compensated.cuh"
#include "ladder/published/dot_block.cuh"

namespace onefold::ladder::published {

/// Shape:  as dot/tree, for blocks of dot_block; n is accepted and, as printed, not looked at.
template <class T>
__global__ void dot_kahan(const T* a, const T* b, std::size_t, T* partials) {
  __shared__ T items[dot_block];
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + tid;
  items[tid] = 0;
  T loss = add_rounded(T(0), -multiply_rounded(a[at], b[at]));
  const T next = add_rounded(items[tid], -loss);
  loss = add_rounded(add_rounded(next, -items[tid]), loss);  // 0, and not used again
  items[tid] = next;
  __syncthreads();

  add_neighbours(items, tid);

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
