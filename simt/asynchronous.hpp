// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words for what happens later: asynchronous copies, mbarriers, clusters of blocks.
//
// The names are CUDA's: those of cuda_pipeline_primitives.h, of sm_90_rt.h and of <cuda/ptx>. Bytes
// land at the wait that covers them and are poison before (asynchrony.cpp).

#include "simt/lane_calls.hpp"

#if !defined(__CUDACC__)

/// cp.async of 4, 8 or 16 bytes, of which the last `zero_bytes` become zeros.
ONEFOLD_WORD void __pipeline_memcpy_async(void* to, const void* from, std::size_t size_bytes,
                                          std::size_t zero_bytes = 0) noexcept {
  ::onefold::simt::begin_copy(ONEFOLD_HERE, {to, from, size_bytes, zero_bytes});
}
/// cp.async.commit_group.
ONEFOLD_WORD void __pipeline_commit() noexcept {
  ::onefold::simt::commit_copies(ONEFOLD_HERE);
}
/// cp.async.wait_group: covers what has been committed, but for the `later` latest groups.
ONEFOLD_WORD void __pipeline_wait_prior(std::size_t later) noexcept {
  ::onefold::simt::wait_for_copies(ONEFOLD_HERE, later);
}

/// Of launches that may begin before the one before them has ended; here every launch has ended
/// when the next one begins.
ONEFOLD_WORD void cudaTriggerProgrammaticLaunchCompletion() noexcept {}
ONEFOLD_WORD void cudaGridDependencySynchronize() noexcept {}

ONEFOLD_WORD unsigned __clusterSizeInBlocks() noexcept {
  return ::onefold::simt::cluster_size();
}
ONEFOLD_WORD unsigned __clusterRelativeBlockRank() noexcept {
  return ::onefold::simt::cluster_rank();
}
/// Where the block of that rank has what this block has at `at`.
ONEFOLD_WORD void* __cluster_map_shared_rank(const void* at, unsigned rank) noexcept {
  return ::onefold::simt::shared_at_rank(at, rank);
}
ONEFOLD_WORD void __cluster_barrier_arrive() noexcept {
  ::onefold::simt::cluster_arrive(ONEFOLD_HERE, true);
}
ONEFOLD_WORD void __cluster_barrier_arrive_relaxed() noexcept {
  ::onefold::simt::cluster_arrive(ONEFOLD_HERE, false);
}
ONEFOLD_WORD void __cluster_barrier_wait() noexcept {
  ::onefold::simt::cluster_wait(ONEFOLD_HERE);
}

namespace cuda::ptx {

struct sem_release_t {};
struct sem_acquire_t {};
struct scope_cta_t {};
struct scope_cluster_t {};
struct space_shared_t {};
struct space_cluster_t {};
struct space_global_t {};
inline constexpr sem_release_t sem_release;
inline constexpr sem_acquire_t sem_acquire;
inline constexpr scope_cta_t scope_cta;
inline constexpr scope_cluster_t scope_cluster;
inline constexpr space_shared_t space_shared;
inline constexpr space_cluster_t space_cluster;
inline constexpr space_global_t space_global;

ONEFOLD_WORD void mbarrier_init(std::uint64_t* at, unsigned arrivals) noexcept {
  ::onefold::simt::mbarrier_init(ONEFOLD_HERE, at, arrivals);
}
/// Orders mbarrier_init, and nothing else, before a relaxed barrier of the cluster.
ONEFOLD_WORD void fence_mbarrier_init(sem_release_t, scope_cluster_t) noexcept {
  ::onefold::simt::mbarrier_init_fence(ONEFOLD_HERE);
}
ONEFOLD_WORD void mbarrier_arrive(std::uint64_t* at) noexcept {
  ::onefold::simt::mbarrier_arrive(ONEFOLD_HERE, at, 0);
}
ONEFOLD_WORD void mbarrier_arrive_expect_tx(sem_release_t, scope_cta_t, space_shared_t,
                                            std::uint64_t* at, unsigned bytes) noexcept {
  ::onefold::simt::mbarrier_arrive(ONEFOLD_HERE, at, bytes);
}
/// Waits until the phase is over; on a device it may give up earlier and be false.
ONEFOLD_WORD bool mbarrier_try_wait_parity(const std::uint64_t* at, unsigned parity) noexcept {
  ::onefold::simt::mbarrier_wait(ONEFOLD_HERE, at, parity);
  return true;
}
/// `to` and `mbarrier` belong to one block of the cluster.
template <class T>
ONEFOLD_WORD void st_async(T* to, const T& value, std::uint64_t* mbarrier) noexcept {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "st.async stores 4 or 8 bytes.");
  ::onefold::simt::store_later(ONEFOLD_HERE, to, &value, sizeof(T), mbarrier);
}
ONEFOLD_WORD void cp_async_bulk(space_cluster_t, space_global_t, void* to, const void* from,
                                unsigned size_bytes, std::uint64_t* mbarrier) noexcept {
  ::onefold::simt::copy_bulk(ONEFOLD_HERE, to, from, size_bytes, mbarrier);
}

}  // namespace cuda::ptx

#endif
