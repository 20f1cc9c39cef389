// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/two-stage-swapped: reduce/two-stage, rewritten after a printed caller. For teaching; no
// driver uses it.
//
// The kernel takes (in, out), as its last version does; the caller passes (out, in), as for the
// first. The first launch reads partials that nothing has written and overwrites the input; the
// second reads the answer and overwrites a partial. The answer itself is never written.

#include "ladder/kernels/kernels.hpp"
#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/two-stage, with the output in another place.
template <class T, class Operator>
__global__ void reduce_two_stage_swapped(const T* in, T* out, std::size_t n) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = Operator::identity;
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

  if (tid == 0) out[blockIdx.x] = items[0];
}

/// Both launches; the scratch memory is for the partials.
template <class T, class Operator>
static void start_two_stage_swapped(engine& where, const kernel_arguments& a) {
  T* const answer = static_cast<T*>(a.out);
  T* const partials = static_cast<T*>(a.scratch);
  T* const in = static_cast<T*>(const_cast<void*>(a.in));
  const std::size_t shared_bytes = a.block * sizeof(T);
  start(where, {{a.grid}, {a.block}, shared_bytes}, reduce_two_stage_swapped<T, Operator>, partials,
        in, a.n);
  start(where, {{1}, {a.block}, shared_bytes}, reduce_two_stage_swapped<T, Operator>, answer,
        partials, std::size_t{a.grid});
}

}  // namespace onefold::ladder::published
