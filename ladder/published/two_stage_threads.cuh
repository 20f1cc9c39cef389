// SPDX-License-Identifier: Apache-2.0
#pragma once
// published/two-stage-threads: reduce/two-stage with a template, rewritten after a printed
// caller. For teaching; no driver uses it.
//
// The kernel is compiled for a number of threads, and the caller hands it the number of blocks.
// With more blocks than threads the loads leave gaps, and the tree reads past the end of the
// shared array; with fewer, lanes fold the same elements and most of them for nothing.

#include "ladder/kernels/kernels.hpp"
#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder::published {

/// Shape:  as reduce/two-stage, if Threads is the block launched.
template <class T, class Operator, unsigned Threads>
__global__ void reduce_two_stage_threads(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = Operator::identity;
  const std::size_t round = std::size_t{gridDim.x} * Threads;
  for (std::size_t at = std::size_t{blockIdx.x} * Threads + tid; at < n; at += round) {
    value = Operator::fold(value, in[at]);
  }
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(Threads);
  unsigned s = Threads / 2;
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

/// Starts the kernel compiled for a.grid threads, or for the next lower power of two.
template <class T, class Operator, unsigned Threads = 1024>
static void start_two_stage_threads(engine& where, const kernel_arguments& a) {
  if constexpr (Threads > 1) {
    if (a.grid < Threads) return start_two_stage_threads<T, Operator, Threads / 2>(where, a);
  }
  start(where, {{a.grid}, {a.block}, a.block * sizeof(T)},
        reduce_two_stage_threads<T, Operator, Threads>, static_cast<const T*>(a.in), a.n,
        static_cast<T*>(a.out));
}

}  // namespace onefold::ladder::published
