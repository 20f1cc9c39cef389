// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/unrolled: the block's size is known when the kernel is compiled.
//
// Then so is every distance of the tree, and the steps are written out one after another: the
// loop's counter, comparison and jump are gone. Of the ten steps the compiler keeps those that the
// block has, for Block is a constant and so is each `if` in front of a step: where one holds, all
// below it hold. The price is a kernel for each size, and a switch on the host to pick one. No
// access to memory changes.

#include "ladder/operators.cuh"

#include <cstddef>

namespace onefold::ladder {

/// The step of distance S while elements of several warps are in play; the block meets after it.
template <class Operator, unsigned S, class T>
__device__ __forceinline__ void block_step(T* items, unsigned tid, unsigned lanes) {
  if (S <= lanes) return;
  if (tid < S) items[tid] = Operator::fold(items[tid], items[tid + S]);
  __syncthreads();
}

/// The same once the first warp has them all: its lanes need only each other.
template <class Operator, unsigned S, class T>
__device__ __forceinline__ void warp_step(T* items, unsigned tid, unsigned lanes) {
  if (S > lanes) return;
  if (tid < S) items[tid] = Operator::fold(items[tid], items[tid + S]);
  __syncwarp(first_lanes(lanes));
}

/// Shape:  in[n], n >= 0; partials[grid]; Block, a power of two, is the block launched; two
///         elements a lane.
/// Order:  not that of the elements: the operator must commute. Lane 0 writes the partial.
template <class T, class Operator, unsigned Block>
__global__ void reduce_unrolled(const T* in, std::size_t n, T* partials) {
  ONEFOLD_DYNAMIC_SHARED(T, items);
  const unsigned tid = threadIdx.x;

  const std::size_t at = std::size_t{blockIdx.x} * (2 * Block) + tid;
  T value = Operator::identity;
  if (at < n) value = in[at];
  if (at + Block < n) value = Operator::fold(value, in[at + Block]);
  items[tid] = value;
  __syncthreads();

  const unsigned lanes = lanes_of_a_warp(Block);
  if (Block >= 1024) block_step<Operator, 512>(items, tid, lanes);
  if (Block >= 512) block_step<Operator, 256>(items, tid, lanes);
  if (Block >= 256) block_step<Operator, 128>(items, tid, lanes);
  if (Block >= 128) block_step<Operator, 64>(items, tid, lanes);
  // Nothing with a warp of 32; with the small warps of the pictures (--warp 4) the block goes on.
  if (Block >= 64) block_step<Operator, 32>(items, tid, lanes);
  if (Block >= 32) block_step<Operator, 16>(items, tid, lanes);
  if (Block >= 16) block_step<Operator, 8>(items, tid, lanes);
  if (Block >= 8) block_step<Operator, 4>(items, tid, lanes);
  if (Block >= 4) block_step<Operator, 2>(items, tid, lanes);

  if (tid >= lanes) return;
  if (Block >= 64) warp_step<Operator, 32>(items, tid, lanes);
  if (Block >= 32) warp_step<Operator, 16>(items, tid, lanes);
  if (Block >= 16) warp_step<Operator, 8>(items, tid, lanes);
  if (Block >= 8) warp_step<Operator, 4>(items, tid, lanes);
  if (Block >= 4) warp_step<Operator, 2>(items, tid, lanes);
  if (Block >= 2) warp_step<Operator, 1>(items, tid, lanes);

  if (tid == 0) partials[blockIdx.x] = items[0];
}

}  // namespace onefold::ladder
