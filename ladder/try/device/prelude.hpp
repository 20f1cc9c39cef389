// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a learner's file finds without including anything, as under nvcc: the words of CUDA, the
// C library, and a host API that does nothing, so that a file with a main compiles.

#include "ladder/operators.cuh"
#if defined(ONEFOLD_WHOLE_PROGRAM)
#include "ladder/try/main/prepared_launch.hpp"
#include "ladder/try/main/runtime_api.hpp"
#else
#include "ladder/try/device/host_api.hpp"
#endif
#include "ladder/try/launch/entry.hpp"
#include "simt/half.hpp"

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#undef __constant__
#if defined(ONEFOLD_WHOLE_PROGRAM)
// cudaMemcpyToSymbol writes it.
#define __constant__ static ONEFOLD_DEVICE_VARIABLE
#else
// Found by its tag, as device variables are; the host may set it, so that no compiler takes one
// without an initialiser for zeros.
#define __constant__ static __attribute__((abi_tag("onefold_constant"), aligned(256), used))
#endif
// Farther apart than a block's shared memory is long: what overruns one array lies in no other.
#undef __shared__
#define __shared__ static __attribute__((abi_tag("onefold_shared"), aligned(65536)))
// Global memory that is there from the start, found by its tag (simt/memory_map.hpp) and placed as
// cudaMalloc places buffers. rewrite.hpp writes it behind the __device__ of a variable.
// The host may change it, so that no compiler takes one that no kernel writes for a constant.
#define ONEFOLD_DEVICE_VARIABLE __attribute__((abi_tag("onefold_device"), aligned(256), used))
#ifndef __managed__
#define __managed__
#endif
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif

/// `extern __shared__ T name[];` outside functions: the address is known only in a running block.
template <class T>
struct onefold_dynamic_shared {
  __attribute__((always_inline)) operator T*() const {
    return static_cast<T*>(::onefold::simt::dynamic_shared_memory());
  }
};

// Device code's clock() counts as clock64() does; the host's is that of the C library. <ctime> has
// been read above, so that only calls of the learner's file are renamed.
inline clock_t onefold_clock() noexcept {
  return ::onefold::simt::in_lane() ? static_cast<clock_t>(clock64()) : std::clock();
}
namespace std {
using ::onefold_clock;
}
#define clock(...) onefold_clock(__VA_ARGS__)

// The learner's main is never called: its launches are blanked and the API below is inert.
#define main onefold_learner_main
