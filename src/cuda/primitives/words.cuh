// SPDX-License-Identifier: Apache-2.0
#pragma once
// What all device code shares: one source for nvcc and, under the executor, for g++ and clang.
//
// Inline PTX is only in this folder and in rounding/rounded_pair.cuh, each time with a
// counterpart in plain C++, which ONEFOLD_PLAIN_DEVICE_CODE chooses (in greater.cuh an older
// device). Compiled without contraction (-fmad=false): a + b and a * b are rounded once each.

#include "cuda/primitives/cuda_compat.cuh"

#include <cstdint>

#if defined(__CUDACC__)
#define ONEFOLD_UNROLL _Pragma("unroll")
#define ONEFOLD_ROLLED _Pragma("unroll 1")
#define ONEFOLD_UNROLL_BY_2 _Pragma("unroll 2")
#define ONEFOLD_UNROLL_BY_4 _Pragma("unroll 4")
#define ONEFOLD_UNROLL_BY_8 _Pragma("unroll 8")
#define ONEFOLD_NEVER_INLINE __noinline__
#define ONEFOLD_KERNEL_ARGUMENT const __grid_constant__
#else
#define ONEFOLD_PLAIN_DEVICE_CODE
#define ONEFOLD_UNROLL
#define ONEFOLD_ROLLED
#define ONEFOLD_UNROLL_BY_2
#define ONEFOLD_UNROLL_BY_4
#define ONEFOLD_UNROLL_BY_8
#define ONEFOLD_NEVER_INLINE __attribute__((noinline))
#define ONEFOLD_KERNEL_ARGUMENT const
#endif

/// A device function that is always inlined.
#define ONEFOLD_DEVICE __device__ __forceinline__

/// A device function that is called where things go slowly: its registers are not the hot loop's.
#define ONEFOLD_COLD __device__ ONEFOLD_NEVER_INLINE

namespace onefold::cuda {

inline constexpr unsigned warp_lanes = 32;
inline constexpr unsigned whole_warp = 0xFFFFFFFF;

}  // namespace onefold::cuda
