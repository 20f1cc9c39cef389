// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks that work on one chunk together and access each other's shared memory: thread-block
// clusters, from sm_90 on. Before sm_90 a cluster is one block here. The SIMT executor has clusters
// where ONEFOLD_SIMT_CLUSTERS is defined, for all kernels of a program.

#include "cuda/primitives/words.cuh"

#if (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900) ||                                            \
    (defined(ONEFOLD_PLAIN_DEVICE_CODE) && defined(ONEFOLD_SIMT_CLUSTERS))
#define ONEFOLD_CLUSTERS
#endif

namespace onefold::cuda {

/// Of a block in its cluster: blockIdx.x modulo the blocks of a cluster.
ONEFOLD_DEVICE unsigned cluster_rank() {
#if defined(ONEFOLD_CLUSTERS) && defined(ONEFOLD_PLAIN_DEVICE_CODE)
  return __clusterRelativeBlockRank();
#elif defined(ONEFOLD_CLUSTERS)
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#else
  return 0;
#endif
}

#if defined(ONEFOLD_CLUSTERS) && !defined(ONEFOLD_PLAIN_DEVICE_CODE)
ONEFOLD_DEVICE unsigned shared_address(const void* local) {
  return unsigned(__cvta_generic_to_shared(local));
}
ONEFOLD_DEVICE unsigned address_at_rank(const void* local, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(local)), "r"(rank));
  return there;
}
#endif

/// An mbarrier that counts the bytes sent to a block of a cluster, phase by phase. A barrier of the
/// cluster would do too, but takes a fence of the whole device, some 700 cycles a warp, one warp
/// after another.
class cluster_mbarrier {
 public:
  /// By one thread, before sync_cluster().
  ONEFOLD_DEVICE void begin() {
#if defined(ONEFOLD_CLUSTERS) && defined(ONEFOLD_PLAIN_DEVICE_CODE)
    ::cuda::ptx::mbarrier_init(&state_, 1);
#elif defined(ONEFOLD_CLUSTERS)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(shared_address(this)) : "memory");
#endif
  }
  /// By one thread, once a phase and after the wait for the phase before.
  ONEFOLD_DEVICE void expect([[maybe_unused]] int bytes) {
#if defined(ONEFOLD_CLUSTERS) && defined(ONEFOLD_PLAIN_DEVICE_CODE)
    ::cuda::ptx::mbarrier_arrive_expect_tx(::cuda::ptx::sem_release, ::cuda::ptx::scope_cta,
                                           ::cuda::ptx::space_shared, &state_, unsigned(bytes));
#elif defined(ONEFOLD_CLUSTERS)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(this)), "r"(bytes)
                 : "memory");
#endif
  }
  /// Until the bytes of a phase are there; phases are counted from 0.
  ONEFOLD_DEVICE void wait([[maybe_unused]] int phase) const {
#if defined(ONEFOLD_CLUSTERS) && defined(ONEFOLD_PLAIN_DEVICE_CODE)
    while (!::cuda::ptx::mbarrier_try_wait_parity(&state_, unsigned(phase) & 1)) {
    }
#elif defined(ONEFOLD_CLUSTERS)
    unsigned there = 0;
    while (there == 0)
      asm volatile("{ .reg .pred p;\n"
                   "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                   "selp.u32 %0, 1, 0, p; }"
                   : "=r"(there)
                   : "r"(shared_address(this)), "r"(unsigned(phase) & 1)
                   : "memory");
#endif
  }

 private:
  [[maybe_unused]] std::uint64_t state_;
};

/// Every thread of the cluster calls it, after the mbarriers are initialised.
ONEFOLD_DEVICE void sync_cluster() {
#if defined(ONEFOLD_CLUSTERS) && defined(ONEFOLD_PLAIN_DEVICE_CODE)
  ::cuda::ptx::fence_mbarrier_init(::cuda::ptx::sem_release, ::cuda::ptx::scope_cluster);
  __cluster_barrier_arrive_relaxed();
  __cluster_barrier_wait();
#elif defined(ONEFOLD_CLUSTERS)
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
  asm volatile("barrier.cluster.arrive.relaxed;" : : : "memory");
  asm volatile("barrier.cluster.wait.acquire;" : : : "memory");
#else
  __syncthreads();
#endif
}

/// Writes a number of 4 or 8 bytes in the shared memory of the block of that rank, where this block
/// has `local`, and counts it in that block's `mbarrier`.
template <class Number>
ONEFOLD_DEVICE void send(Number* local, [[maybe_unused]] unsigned rank, Number value,
                         [[maybe_unused]] const cluster_mbarrier& mbarrier) {
#if defined(ONEFOLD_CLUSTERS) && defined(ONEFOLD_PLAIN_DEVICE_CODE)
  ::cuda::ptx::st_async(static_cast<Number*>(__cluster_map_shared_rank(local, rank)), value,
                        static_cast<std::uint64_t*>(__cluster_map_shared_rank(&mbarrier, rank)));
#elif defined(ONEFOLD_CLUSTERS)
  const unsigned to = address_at_rank(local, rank), counter = address_at_rank(&mbarrier, rank);
  if constexpr (sizeof(Number) == 8)
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];"
                 :
                 : "r"(to), "l"(__builtin_bit_cast(std::uint64_t, value)), "r"(counter)
                 : "memory");
  else
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 :
                 : "r"(to), "r"(__builtin_bit_cast(std::uint32_t, value)), "r"(counter)
                 : "memory");
#else
  *local = value;
#endif
}

/// A barrier of all threads of the cluster: what they wrote before it, all read after it. Slow.
ONEFOLD_DEVICE void meet_cluster() {
#if defined(ONEFOLD_CLUSTERS) && defined(ONEFOLD_PLAIN_DEVICE_CODE)
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
#elif defined(ONEFOLD_CLUSTERS)
  asm volatile("barrier.cluster.arrive.release;" : : : "memory");
  asm volatile("barrier.cluster.wait.acquire;" : : : "memory");
#else
  __syncthreads();
#endif
}
/// Writes a word in the shared memory of the block of that rank, where this block has `local`.
ONEFOLD_DEVICE void write_at(std::int64_t* local, [[maybe_unused]] unsigned rank,
                             std::int64_t value) {
#if defined(ONEFOLD_CLUSTERS) && defined(ONEFOLD_PLAIN_DEVICE_CODE)
  *static_cast<std::int64_t*>(__cluster_map_shared_rank(local, rank)) = value;
#elif defined(ONEFOLD_CLUSTERS)
  asm volatile("st.shared::cluster.b64 [%0], %1;"
               :
               : "r"(address_at_rank(local, rank)), "l"(value)
               : "memory");
#else
  *local = value;
#endif
}

}  // namespace onefold::cuda
