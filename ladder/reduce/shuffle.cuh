// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/shuffle: lanes hand each other their registers.
//
// A shuffle gives a lane the register of another lane of its warp: no shared memory, no barrier,
// no bank. Each warp folds its lanes so; only the warps' results meet in shared memory, where the
// first warp folds them the same way. One barrier of the block is left. And because registers have
// no banks the distance may grow again, which keeps the lanes in order.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// The fold of the first `lanes` lanes' values in their order, for lane 0; the others get what
/// their neighbours happened to hold. Every one of these lanes must call it.
template <class Operator, class T>
static __device__ T fold_warp(T value, unsigned lanes) {
  for (unsigned s = 1; s < lanes; s *= 2) {
    value = Operator::fold(value, __shfl_down_sync(first_lanes(lanes), value, s, lanes));
  }
  return value;
}

/// The fold of all lanes' values in their order, for lane 0 of the block; every lane must call it.
/// `warps` has room for one value a warp; a barrier must lie between two calls that share it.
template <class Operator, class T>
static __device__ T fold_block(T value, T* warps) {
  const unsigned lanes = lanes_of_a_warp(blockDim.x);
  const unsigned lane = threadIdx.x % lanes;
  const unsigned warp = threadIdx.x / lanes;

  value = fold_warp<Operator>(value, lanes);
  if (lane == 0) warps[warp] = value;
  __syncthreads();

  if (warp != 0) return value;
  const unsigned count = blockDim.x / lanes;
  const unsigned each = (count + lanes - 1) / lanes;
  value = Operator::identity;
  for (unsigned w = lane * each; w < min(count, (lane + 1) * each); ++w) {
    value = Operator::fold(value, warps[w]);
  }
  return fold_warp<Operator>(value, lanes);
}

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; any grid.
/// Order:  that of the elements within a round only: the operator must commute. Lane 0 writes the
///         partial.
template <class T, class Operator>
__global__ void reduce_shuffle(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, warps);

  T value = Operator::identity;
  const std::size_t round = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at < n; at += round) {
    value = Operator::fold(value, in[at]);
  }

  value = fold_block<Operator>(value, warps);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;
}

}  // namespace onefold::ladder
