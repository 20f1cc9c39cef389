// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operators of the ladder, each with the value that changes nothing.
//
// A lane without an element folds the identity. Zero, which the tutorials use for everything, is
// the identity of sums only: it annihilates a product and beats every negative number in a
// maximum. The identity of a floating sum is -0, because +0 would turn a sum of negative zeros
// into +0.
//
// Here and wherever units of the executor share text the functions are static or inlined: a copy
// that two units share lies inside the text of both, and libbacktrace of g++ 12 then loses the
// lines of the kernels around it.

#include "simt/simt.hpp"

#include <limits>
#include <type_traits>

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

}  // namespace onefold::ladder
