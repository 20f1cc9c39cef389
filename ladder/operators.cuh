// SPDX-License-Identifier: Apache-2.0
#pragma once
// A guard, too: the text may stand inside a file that is compiled after this header.
#if !defined(ONEFOLD_LADDER_OPERATORS)
#define ONEFOLD_LADDER_OPERATORS
//
// What the kernels of the ladder use beside CUDA's own words. With this header next to it a rung's
// file is complete: nvcc compiles it, and `onefold ladder try` has the header already.
//
//   ONEFOLD_DYNAMIC_SHARED(T, items)   the dynamic shared memory of the block as items[]
//   sum, product, maximum, minimum     operators: fold(a, b) and the identity
//   lanes_of_a_warp, first_lanes       the first warp of a block, and its mask
//
// A lane without an element folds the identity. Zero, which the tutorials use for everything, is
// the identity of sums only: it annihilates a product and beats every negative number in a
// maximum. The identity of a floating sum is -0, because +0 would turn a sum of negative zeros
// into +0.
//
// Here and wherever units of the executor share text the functions are static or inlined: a copy
// that two units share lies inside the text of both, and libbacktrace of g++ 12 then loses the
// lines of the kernels around it.

// nvcc brings CUDA itself; a CPU's compiler gets it from the executor.
#if !defined(__CUDACC__)
#include "simt/simt.hpp"
#endif

#include <limits>
#include <type_traits>

#if !defined(ONEFOLD_DYNAMIC_SHARED)
// `extern __shared__ T items[]` would declare one name with two types where two kernels of a file
// use two element types.
#define ONEFOLD_DYNAMIC_SHARED(T, name)                                                            \
  extern __shared__ __align__(16) unsigned char onefold_dynamic_shared[];                          \
  T* const name = reinterpret_cast<T*>(onefold_dynamic_shared)
#endif

#if !defined(ONEFOLD_UNCOUNTED)
// For the executor: what happens inside is arithmetic, no branch of the kernel. Nothing for nvcc.
#define ONEFOLD_UNCOUNTED
#endif

namespace onefold::ladder {

template <class T>
ONEFOLD_UNCOUNTED static inline __host__ __device__ T added(T a, T b) {
  return a + b;
}

template <class T>
ONEFOLD_UNCOUNTED static inline __host__ __device__ T multiplied(T a, T b) {
  return a * b;
}

template <class T>
ONEFOLD_UNCOUNTED static inline __host__ __device__ T larger(T a, T b) {
  return a < b ? b : a;
}

template <class T>
ONEFOLD_UNCOUNTED static inline __host__ __device__ T smaller(T a, T b) {
  return b < a ? b : a;
}

template <class T>
struct sum {
  static constexpr T identity = std::is_floating_point_v<T> ? -T(0) : T(0);
  __host__ __device__ __forceinline__ static T fold(T a, T b) { return added(a, b); }
};

template <class T>
struct product {
  static constexpr T identity = T(1);
  __host__ __device__ __forceinline__ static T fold(T a, T b) { return multiplied(a, b); }
};

template <class T>
struct maximum {
  using limits = std::numeric_limits<T>;
  static constexpr T identity = limits::has_infinity ? -limits::infinity() : limits::lowest();
  __host__ __device__ __forceinline__ static T fold(T a, T b) { return larger(a, b); }
};

template <class T>
struct minimum {
  using limits = std::numeric_limits<T>;
  static constexpr T identity = limits::has_infinity ? limits::infinity() : limits::max();
  __host__ __device__ __forceinline__ static T fold(T a, T b) { return smaller(a, b); }
};

// The first warp of a block: a block smaller than a warp has fewer lanes, and a mask must not name
// a lane that does not exist.

/// Lanes of a full warp. For nvcc a number, because warpSize gets its value only in ptxas, after
/// loops have been unrolled; under the executor whatever warp the launch asks for.
#if defined(__CUDACC__)
static inline __device__ constexpr unsigned full_warp() {
  return 32;
}
#else
ONEFOLD_UNCOUNTED static inline unsigned full_warp() {
  return static_cast<unsigned>(warpSize);
}
#endif

/// Lanes of the first warp of a block.
ONEFOLD_UNCOUNTED static inline __device__ unsigned lanes_of_a_warp(unsigned block) {
  return min(block, full_warp());
}

/// The mask of lanes 0 .. count - 1, 1 <= count <= 32.
ONEFOLD_UNCOUNTED static inline __device__ unsigned first_lanes(unsigned count) {
  return ~0u >> (32 - count);
}

}  // namespace onefold::ladder

#endif  // ONEFOLD_LADDER_OPERATORS
