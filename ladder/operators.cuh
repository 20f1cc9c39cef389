// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operators of the ladder, each with the value that changes nothing.
//
// A lane without an element folds the identity. Zero, which the tutorials use for everything, is
// the identity of sums only: it annihilates a product and beats every negative number in a
// maximum. The identity of a floating sum is -0, because +0 would turn a sum of negative zeros
// into +0.

#include "simt/simt.hpp"

#include <limits>
#include <type_traits>

namespace onefold::ladder {

template <class T>
struct sum {
  static constexpr T identity = std::is_floating_point_v<T> ? -T(0) : T(0);
  ONEFOLD_UNCOUNTED __host__ __device__ static T fold(T a, T b) { return a + b; }
};

template <class T>
struct product {
  static constexpr T identity = T(1);
  ONEFOLD_UNCOUNTED __host__ __device__ static T fold(T a, T b) { return a * b; }
};

template <class T>
struct maximum {
  using limits = std::numeric_limits<T>;
  static constexpr T identity = limits::has_infinity ? -limits::infinity() : limits::lowest();
  ONEFOLD_UNCOUNTED __host__ __device__ static T fold(T a, T b) { return a < b ? b : a; }
};

template <class T>
struct minimum {
  using limits = std::numeric_limits<T>;
  static constexpr T identity = limits::has_infinity ? limits::infinity() : limits::max();
  ONEFOLD_UNCOUNTED __host__ __device__ static T fold(T a, T b) { return b < a ? b : a; }
};

}  // namespace onefold::ladder
