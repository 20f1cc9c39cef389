// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/cascading: a loop over many elements first, the tree over what the lanes found last.
//
// The cost of a parallel algorithm is its lanes times its steps. A tree with a lane for each of N
// elements costs N log N, although N - 1 folds are all that is needed. With N / log N lanes, each
// of which first folds log N elements on its own, both parts take log N steps and the cost is N
// (R. P. Brent's theorem, 1974). The lanes of a warp read neighbours in every round: a round of
// the whole grid lies side by side, and the next one starts where it ends.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// Shape:  in[n], n >= 0; partials[grid]; Block, a power of two, is the block launched; any grid.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator, unsigned Block>
__global__ void reduce_cascading(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  T value = Operator::identity;
  const std::size_t round = std::size_t{gridDim.x} * (2 * Block);
  for (std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid; at < n; at += round) {
    value = Operator::fold(value, in[at]);
    if (at + Block < n) value = Operator::fold(value, in[at + Block]);
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

}  // namespace onefold::ladder
