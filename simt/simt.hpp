// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a kernel sees: the words of CUDA, for g++ and clang on a CPU.
//
// A kernel file includes this header and stays plain CUDA. nvcc brings the language itself and
// takes only two macros, from the engine; a host compiler takes all of it from here. The
// translation unit that instantiates kernels must get the flags of onefold_simt_kernel_flags, so
// that every load, store and basic block calls the executor (callbacks.cpp); any other unit may
// include the header too and then runs uncounted.
//
// The built-in variables are declared const although the executor writes them between lanes:
// within one lane they never change, so a compiler may keep them in registers over a barrier, and
// g++ leaves reads of const objects out of the instrumentation.

#include "simt/lane_calls.hpp"
#include "simt/launch.hpp"

#if defined(__CUDACC__)

#include "../src/cuda/primitives/cuda_compat.cuh"

#else

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

/// The tag in the symbol's name is how the executor knows a static shared array (memory_map.hpp);
/// 128 bytes is one row of the 32 banks, so an array starts at bank 0 as it does on the device.
#define __shared__ static __attribute__((abi_tag("onefold_shared"), aligned(128)))

#define ONEFOLD_DYNAMIC_SHARED(T, name)                                                            \
  T* const name = static_cast<T*>(::onefold::simt::dynamic_shared_memory())

/// A select on the device may be a branch on the host: a maximum of two floats would then be
/// counted as a divergent branch. Out of line and uninstrumented, it is arithmetic again.
#define ONEFOLD_UNCOUNTED __attribute__((noinline, ONEFOLD_UNSEEN))

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x0 = 1, unsigned y0 = 1, unsigned z0 = 1) noexcept
      : x(x0), y(y0), z(z0) {}
  constexpr dim3(uint3 from) noexcept : x(from.x), y(from.y), z(from.z) {}
};

extern const uint3 threadIdx __asm__("onefold_simt_thread_index");
extern const uint3 blockIdx __asm__("onefold_simt_block_index");
// dim3 in CUDA; but g++ would instrument the reads of a type that has a constructor.
extern const uint3 blockDim __asm__("onefold_simt_block_shape");
extern const uint3 gridDim __asm__("onefold_simt_grid_shape");

/// Waits until every lane of the block that has not ended has come here. The others also give each
/// lane the number of lanes with a predicate, or whether all or any of them have it.
ONEFOLD_SYNCHRONISES void __syncthreads() noexcept;
ONEFOLD_SYNCHRONISES int __syncthreads_count(int predicate) noexcept;
ONEFOLD_SYNCHRONISES int __syncthreads_and(int predicate) noexcept;
ONEFOLD_SYNCHRONISES int __syncthreads_or(int predicate) noexcept;

/// With an atomic operation after it a release, after one an acquire; alone it orders nothing.
ONEFOLD_WORD void __threadfence_block() noexcept {
  ::onefold::simt::memory_fence(ONEFOLD_HERE, ::onefold::simt::fence_scope::block);
}
ONEFOLD_WORD void __threadfence() noexcept {
  ::onefold::simt::memory_fence(ONEFOLD_HERE, ::onefold::simt::fence_scope::device);
}
ONEFOLD_WORD void __threadfence_system() noexcept {
  ::onefold::simt::memory_fence(ONEFOLD_HERE, ::onefold::simt::fence_scope::device);
}

/// A device counts cycles; here the lane counts its basic blocks.
ONEFOLD_WORD long long clock64() noexcept {
  return static_cast<long long>(::onefold::simt::lane_steps());
}

/// Loads and stores with a hint for the caches, which are outside the model.
#define ONEFOLD_HINTED_LOAD(name)                                                                  \
  template <class T>                                                                               \
  ONEFOLD_WORD T name(const T* address) noexcept {                                                 \
    T value;                                                                                       \
    ::onefold::simt::copy_as_one(ONEFOLD_HERE, &value, address, sizeof(T));                        \
    return value;                                                                                  \
  }
#define ONEFOLD_HINTED_STORE(name)                                                                 \
  template <class T>                                                                               \
  ONEFOLD_WORD void name(T* address, decltype(T()) value) noexcept {                               \
    ::onefold::simt::copy_as_one(ONEFOLD_HERE, address, &value, sizeof(T));                        \
  }
ONEFOLD_HINTED_LOAD(__ldg)
ONEFOLD_HINTED_LOAD(__ldca)
ONEFOLD_HINTED_LOAD(__ldcg)
ONEFOLD_HINTED_LOAD(__ldcs)
ONEFOLD_HINTED_LOAD(__ldcv)
ONEFOLD_HINTED_LOAD(__ldlu)
ONEFOLD_HINTED_STORE(__stcg)
ONEFOLD_HINTED_STORE(__stcs)
ONEFOLD_HINTED_STORE(__stwb)
ONEFOLD_HINTED_STORE(__stwt)
#undef ONEFOLD_HINTED_LOAD
#undef ONEFOLD_HINTED_STORE

#endif

#include "simt/arithmetic.hpp"
#include "simt/asynchronous.hpp"
#include "simt/atomics.hpp"
#include "simt/vector_types.hpp"
#include "simt/warp.hpp"
