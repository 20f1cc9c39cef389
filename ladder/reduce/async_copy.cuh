// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/async-copy: loads that wait in shared memory, not in registers.
//
// A load on its way holds the registers that it will fill. An asynchronous copy (cp.async, since
// sm_80) goes from global to shared memory past the registers, and the lane goes on. Each lane has
// two slots of sixteen bytes: while it folds one, the other fills (double buffering). A lane reads
// only what it has copied itself, so it waits for its own copies and for no other lane.

#include "ladder/operators.cuh"
#include "ladder/reduce/vector_parts.cuh"

#include <cstddef>

#if defined(__CUDACC__)
#include <cuda_pipeline.h>
#endif

namespace onefold::ladder {

inline constexpr unsigned copy_slots = 2;

/// Begins to copy body[at], if there is one. A group for each call, empty or not, keeps count.
template <class Vector>
__device__ __forceinline__ void begin_copy(Vector* slot, const Vector* body, std::size_t at,
                                           std::size_t count) {
  if (at < count) __pipeline_memcpy_async(slot, &body[at], sizeof(Vector));
  __pipeline_commit();
}

/// Shape:  in[n], n >= 0, aligned to T; partials[grid]; block a power of two; any grid; dynamic
///         shared memory for copy_slots vectors a lane and a value a warp.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_async_copy(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(vector_of<T>, slots);
  T* const warps = reinterpret_cast<T*>(slots + copy_slots * blockDim.x);
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const vector_parts<T> parts(in, n);

  vector_of<T>* slot = slots + threadIdx.x;
  vector_of<T>* other = slot + blockDim.x;
  begin_copy(slot, parts.body, first, parts.count);
  begin_copy(other, parts.body, first + lanes, parts.count);

  T value = Operator::identity;
  for (std::size_t at = first; at < parts.count; at += lanes) {
    __pipeline_wait_prior(copy_slots - 1);
    const vector_of<T> copied = *slot;
    value = fold_vector<Operator>(value, copied);
    begin_copy(slot, parts.body, at + copy_slots * lanes, parts.count);
    vector_of<T>* const next = other;
    other = slot;
    slot = next;
  }

  for (std::size_t i = first; i < parts.head; i += lanes) value = Operator::fold(value, in[i]);
  for (std::size_t i = parts.tail + first; i < n; i += lanes) value = Operator::fold(value, in[i]);
  value = fold_block<Operator>(value, warps);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

}  // namespace onefold::ladder
