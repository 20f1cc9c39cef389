// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a kernel sees: the words of CUDA, for g++ and clang on a CPU.
//
// A kernel file includes this header and stays plain CUDA. nvcc brings the words itself and takes
// only the two macros at the end; a host compiler takes all of them from here. The translation
// unit that instantiates kernels must get the flags of onefold_simt_kernel_flags, so that every
// load, store and basic block calls the executor (hooks.cpp); any other unit may include the
// header too and then runs uncounted.
//
// The built-in variables are declared const although the executor writes them between lanes:
// within one lane they never change, so a compiler may keep them in registers over a barrier, and
// g++ leaves reads of const objects out of the instrumentation.

#include "simt/launch.hpp"

#if defined(__CUDACC__)

/// Dynamic shared memory, seen as an array of T.
#define ONEFOLD_DYNAMIC_SHARED(T, name)                                                            \
  extern __shared__ __align__(16) unsigned char onefold_dynamic_shared[];                          \
  T* const name = reinterpret_cast<T*>(onefold_dynamic_shared)

/// Marks an arithmetic helper whose inside is not part of the kernel's control flow.
#define ONEFOLD_UNCOUNTED

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
#if defined(__clang__)
#define ONEFOLD_UNCOUNTED __attribute__((noinline, no_sanitize("thread"), no_sanitize("coverage")))
#else
#define ONEFOLD_UNCOUNTED __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#endif

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
};

extern const uint3 threadIdx __asm__("onefold_simt_thread_index");
extern const uint3 blockIdx __asm__("onefold_simt_block_index");
extern const dim3 blockDim __asm__("onefold_simt_block_shape");
extern const dim3 gridDim __asm__("onefold_simt_grid_shape");

/// Two barriers in the source stay two: clang would join the ends of both arms of a branch.
#if defined(__clang__)
#define ONEFOLD_BARRIER __attribute__((convergent, nomerge))
#else
#define ONEFOLD_BARRIER
#endif

/// Waits until every lane of the block that has not ended has come here.
ONEFOLD_BARRIER void __syncthreads() noexcept;

#endif
