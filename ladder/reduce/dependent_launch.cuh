// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/dependent-launch: a second launch that begins before the first one has ended.
//
// Between two launches a GPU stands still for microseconds: the last block of the first has to end
// before the first block of the second begins. Since sm_90 a launch can allow the next one to begin
// early (programmatic dependent launch). Its block takes its place on the GPU, and then waits for
// all that the first launch has written. So no block has to draw a ticket, and the kernels are
// plain.

#include "ladder/operators.cuh"
#include "ladder/reduce/vector.cuh"

#include <cstddef>

namespace onefold::ladder {

// On an earlier device a launch begins when the one before it has ended.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static inline __device__ void let_next_launch_begin() {
  cudaTriggerProgrammaticLaunchCompletion();
}
static inline __device__ void wait_for_launch_before() {
  cudaGridDependencySynchronize();
}
#else
static inline __device__ void let_next_launch_begin() {}
static inline __device__ void wait_for_launch_before() {}
#endif

/// Shape:  partials[count], of which the first becomes the answer; one block, a power of two;
/// launched
///         as dependent on the kernel that writes the partials.
template <class T, class Operator>
__global__ void fold_partials(T* partials, unsigned count) {
  ONEFOLD_DYNAMIC_SHARED(T, warps);
  wait_for_launch_before();
  T value = Operator::identity;
  for (unsigned b = threadIdx.x; b < count; b += blockDim.x) {
    value = Operator::fold(value, partials[b]);
  }
  value = fold_block<Operator>(value, warps);
  if (threadIdx.x == 0) partials[0] = value;
}

/// Shape:  in[n], n >= 0, aligned to T; partials[grid]; block a power of two; any grid.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_dependent_launch(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, warps);
  let_next_launch_begin();
  const T value = fold_block<Operator>(fold_share<Operator>(in, n), warps);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

}  // namespace onefold::ladder
