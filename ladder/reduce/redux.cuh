// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/redux: one instruction folds a warp.
//
// Since sm_80 a warp has an instruction, REDUX, that folds the registers of its lanes: the sum, the
// largest, the smallest, or the bits of 32-bit integers, for all lanes at once. It takes the place
// of five shuffles and five additions, one after the other. There is none for products, nor for
// floats: their order would be up to the device. These keep their shuffles.

#include "ladder/operators.cuh"
#include "ladder/reduce/shuffle.cuh"

#include <cstddef>
#include <type_traits>

namespace onefold::ladder {

/// The fold of the first `lanes` lanes' values, for lane 0 at least. Every one of them must call
/// it.
template <class Operator, class T>
static __device__ T fold_warp_at_once(T value, unsigned lanes) {
  if constexpr (std::is_same_v<Operator, sum<int>>) {
    return __reduce_add_sync(first_lanes(lanes), value);
  } else if constexpr (std::is_same_v<Operator, maximum<int>>) {
    return __reduce_max_sync(first_lanes(lanes), value);
  } else if constexpr (std::is_same_v<Operator, minimum<int>>) {
    return __reduce_min_sync(first_lanes(lanes), value);
  } else {
    return fold_warp<Operator>(value, lanes);
  }
}

/// Shape:  in[n], n >= 0; partials[grid]; block a power of two; any grid.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator>
__global__ void reduce_redux(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, warps);
  const unsigned lanes = lanes_of_a_warp(blockDim.x);
  const unsigned lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;

  T value = Operator::identity;
  const std::size_t round = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at < n; at += round) {
    value = Operator::fold(value, in[at]);
  }

  value = fold_warp_at_once<Operator>(value, lanes);
  if (lane == 0) warps[warp] = value;
  __syncthreads();

  if (warp != 0) return;
  value = Operator::identity;
  for (unsigned w = lane; w < blockDim.x / lanes; w += lanes) {
    value = Operator::fold(value, warps[w]);
  }
  value = fold_warp_at_once<Operator>(value, lanes);
  if (lane == 0) partials[blockIdx.x] = value;
}

}  // namespace onefold::ladder
