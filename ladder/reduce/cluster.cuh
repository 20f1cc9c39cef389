// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/cluster: blocks that read each other's shared memory.
//
// Since sm_90 neighbouring blocks can form a cluster: they run at the same time, have a barrier of
// their own, and a lane can read and write the shared memory of every block of its cluster
// (distributed shared memory). So eight blocks fold their values before one of them draws a ticket:
// an eighth of the partials, of the fences and of the updates of the ticket. The second barrier of
// the cluster keeps every block alive until its neighbour has been read.

#include "ladder/operators.cuh"
#include "ladder/reduce/one_launch.cuh"

#include <cstddef>

namespace onefold::ladder {

inline constexpr unsigned most_blocks_of_a_cluster = 8;

// An earlier device has no clusters: there every block is one of its own.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
static inline __device__ unsigned blocks_of_cluster() {
  return __clusterSizeInBlocks();
}
static inline __device__ unsigned rank_in_cluster() {
  return __clusterRelativeBlockRank();
}
/// What the block of that rank has where this block has *at.
template <class T>
static __device__ T value_of_rank(T* at, unsigned rank) {
  return *static_cast<T*>(__cluster_map_shared_rank(at, rank));
}
static inline __device__ void wait_for_cluster() {
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}
#else
static inline __device__ unsigned blocks_of_cluster() {
  return 1;
}
static inline __device__ unsigned rank_in_cluster() {
  return 0;
}
template <class T>
static __device__ T value_of_rank(T* at, unsigned) {
  return *at;
}
static inline __device__ void wait_for_cluster() {
  __syncthreads();
}
#endif

/// Draws a ticket of `count` after publishing what this lane wrote; true for the last.
static inline __device__ bool draw_last_of(unsigned* ticket, unsigned count) {
  __threadfence();
  const bool last = atomicInc(ticket, count - 1) == count - 1;
  __threadfence();
  return last;
}

/// Shape:  in[n], n >= 0, aligned to T; partials[clusters], of which the first becomes the answer;
///         *ticket is zero before and after; block a power of two; any grid of whole clusters.
/// Order:  not that of the elements: the operator must commute; the same in every run. Lane 0 of
///         the last cluster's first block writes the answer.
template <class T, class Operator>
__global__ void reduce_cluster(const T* in, std::size_t n, T* partials, unsigned* ticket) {
  ONEFOLD_DYNAMIC_SHARED(T, warps);
  __shared__ bool is_last;
  const unsigned blocks = blocks_of_cluster(), clusters = gridDim.x / blocks;
  const bool leads = rank_in_cluster() == 0;

  T value = fold_block<Operator>(fold_share<Operator>(in, n), warps);
  if (threadIdx.x == 0) warps[0] = value;  // which no other lane reads
  wait_for_cluster();
  if (leads && threadIdx.x == 0) {
    for (unsigned r = 1; r < blocks; ++r) value = Operator::fold(value, value_of_rank(warps, r));
    partials[blockIdx.x / blocks] = value;
    is_last = draw_last_of(ticket, clusters);
  }
  wait_for_cluster();
  if (!leads || !is_last) return;

  value = Operator::identity;
  for (unsigned c = threadIdx.x; c < clusters; c += blockDim.x) {
    value = Operator::fold(value, partials[c]);
  }
  value = fold_block<Operator>(value, warps);
  if (threadIdx.x == 0) partials[0] = value;
}

}  // namespace onefold::ladder
