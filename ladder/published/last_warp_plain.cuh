// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/last-warp-plain: reduce/last-warp with the defect it was printed with. For teaching; no
// driver uses it.
//
// Neither __syncwarp() nor `volatile`: no lane waits for another, and the compiler keeps a lane's
// sum in a register from step to step. In the last six steps nvcc stores it once, at the end, so
// that no lane could see a sum of another one even if all ran in step.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/last-warp.
template <class T, class Operator, unsigned Block>
__global__ void reduce_last_warp_plain(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  if (at + Block < n) value = Operator::fold(value, in[at + Block]);
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(Block / 2);
  for (unsigned s = Block / 2; s > lanes; s /= 2) {
    if (tid < s) items[tid] = Operator::fold(items[tid], items[tid + s]);
    __syncthreads();
  }

  if (tid < lanes) {
    for (unsigned s = lanes; s > 0; s /= 2) items[tid] = Operator::fold(items[tid], items[tid + s]);
  }

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder::published
