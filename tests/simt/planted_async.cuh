// SPDX-License-Identifier: Apache-2.0
#pragma once
// Asynchronous copies, mbarriers and clusters, each kernel whole and with one thing left out.

#include "simt/simt.hpp"

namespace onefold::simt::test {

namespace ptx = ::cuda::ptx;

enum class omitted { nothing, wait, commit, barrier, release, last_barrier, expected_bytes };

template <omitted Missing>
__global__ void copies_to_shared(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(items + tid, in + tid, sizeof(int));  // planted: copy
  if constexpr (Missing != omitted::commit) __pipeline_commit();
  if constexpr (Missing != omitted::wait) __pipeline_wait_prior(0);
  if constexpr (Missing != omitted::barrier) __syncthreads();
  int other = items[blockDim.x - 1 - tid];  // planted: read of a copy
  out[tid] = other;
}

// Two slots of a warp: the barrier shows all lanes the slot that has come, and frees the other.
template <omitted Missing>
__global__ void ring_of_copies(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  if (tid >= 32) return;
  int sum = 0;
  __pipeline_memcpy_async(items + tid, in + tid, sizeof(int));  // planted: ring, first copy
  __pipeline_commit();
  for (unsigned round = 0; round < 3; ++round) {
    const unsigned slot = round % 2 * 32, next = 32 - slot;
    if constexpr (Missing != omitted::wait) __pipeline_wait_prior(0);
    if constexpr (Missing != omitted::barrier) __syncwarp();
    if (round < 2) {
      __pipeline_memcpy_async(items + next + tid, in + tid, sizeof(int));  // planted: ring, copy
      if constexpr (Missing != omitted::commit) __pipeline_commit();
    }
    sum += items[slot + 31 - tid];  // planted: ring, read
  }
  out[tid] = sum;
}

// The wait covers all groups but the latest, which has what is read.
__global__ inline void waits_for_too_few(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  __pipeline_commit();
  __pipeline_memcpy_async(items + tid, in + tid, sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(1);
  out[tid] = items[tid];  // planted: too few groups
  __pipeline_wait_prior(0);
  out[blockDim.x + tid] = items[tid];
}

__global__ inline void written_in_flight(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(items + tid, in + tid, sizeof(int));
  __pipeline_commit();
  items[tid] = 7;  // planted: written in flight
  __pipeline_wait_prior(0);
  out[tid] = items[tid];
}

__global__ inline void copied_in_flight(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  __pipeline_memcpy_async(items + tid, in, sizeof(int));
  __pipeline_memcpy_async(items + tid, in + tid, sizeof(int));  // planted: copied in flight
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[tid] = items[tid];
}

__global__ inline void source_changes(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  const unsigned tid = threadIdx.x;
  out[tid] = in[tid];
  __pipeline_memcpy_async(items + tid, out + tid, sizeof(int));  // planted: source changes
  __pipeline_commit();
  out[tid] = -5;
  __pipeline_wait_prior(0);
  out[blockDim.x + tid] = items[tid];
}

__global__ inline void misplaced_copy(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  if (threadIdx.x == 0) {
    __pipeline_memcpy_async(items, in + 1, 8);  // planted: misplaced copy
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[0] = items[1];
  }
}

// 16, 8 and 4 bytes; after the last element of the first come zeros.
__global__ inline void copies_of_all_sizes(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  if (threadIdx.x == 0) {
    __pipeline_memcpy_async(items, in, 16, 4);
    __pipeline_memcpy_async(items + 4, in + 4, 8);
    __pipeline_memcpy_async(items + 6, in + 6, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int i = 0; i < 7; ++i) out[i] = items[i];
  }
}

template <omitted Missing>
__global__ void bulk_copy(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  __shared__ std::uint64_t arrived;
  const unsigned tid = threadIdx.x, bytes = blockDim.x * sizeof(int);
  if (tid == 0) ptx::mbarrier_init(&arrived, 1);
  if constexpr (Missing != omitted::barrier) __syncthreads();
  if (tid == 0) {
    const unsigned expected = Missing == omitted::expected_bytes ? bytes / 2 : bytes;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                   expected);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, items, in, bytes,
                       &arrived);  // planted: bulk copy
  }
  if constexpr (Missing != omitted::wait) {
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {  // planted: bulk copy, wait
    }
  }
  int value = items[tid];  // planted: bulk copy, read
  out[tid] = value;
}

// Lanes read what the other block of their cluster has written.
template <omitted Missing, bool Static>
__global__ void reads_the_other_block(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, dynamic);
  __shared__ int array[64];
  int* const items = Static ? array : dynamic;
  const unsigned tid = threadIdx.x, at = blockIdx.x * blockDim.x + tid;
  items[tid] = in[at];  // planted: other block, write
  if constexpr (Missing == omitted::release)
    __cluster_barrier_arrive_relaxed();
  else if constexpr (Missing != omitted::barrier)
    __cluster_barrier_arrive();
  if constexpr (Missing != omitted::barrier) __cluster_barrier_wait();
  const unsigned other = 1 - __clusterRelativeBlockRank();
  const int* theirs = static_cast<const int*>(__cluster_map_shared_rank(items, other));
  int value = theirs[blockDim.x - 1 - tid];  // planted: other block, read
  if constexpr (Missing != omitted::last_barrier) {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  out[at] = value + items[tid];
}

// Lanes store into the other block of their cluster, whose mbarrier counts the bytes.
template <omitted Missing>
__global__ void sends_to_the_other_block(const int* in, std::size_t, int* out) {
  ONEFOLD_DYNAMIC_SHARED(int, items);
  __shared__ std::uint64_t arrived;
  const unsigned tid = threadIdx.x, at = blockIdx.x * blockDim.x + tid;
  const unsigned other = 1 - __clusterRelativeBlockRank();
  if (tid == 0) {
    ptx::mbarrier_init(&arrived, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                   blockDim.x * unsigned(sizeof(int)));
  }
  if constexpr (Missing != omitted::release)
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  if constexpr (Missing != omitted::barrier) {
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
  }
  ptx::st_async(
      static_cast<int*>(__cluster_map_shared_rank(items + tid, other)), in[at],
      static_cast<std::uint64_t*>(__cluster_map_shared_rank(&arrived, other)));  // planted: send
  if constexpr (Missing != omitted::wait) {
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
    }
  }
  int value = items[blockDim.x - 1 - tid];  // planted: send, read
  out[at] = value;
}

}  // namespace onefold::simt::test
