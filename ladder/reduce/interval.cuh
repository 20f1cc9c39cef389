// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/interval: two sums that enclose the exact one.
//
// A GPU rounds an addition downward or upward as fast as to nearest. So one sum of doubles that is
// never too large and one that is never too small enclose the exact sum of the floats. If both
// round to the same float, this is the exact sum rounded once: proved, for this array, at the price
// of a second addition an element. If not, nothing is known, and another kernel has to compute it
// exactly; it is launched in any case and ends at once where it is not needed.
//
// A sum of zeros: the upper sum has the right sign. -0 comes of nothing but -0 there.

#include "ladder/operators.cuh"
#include "ladder/reduce/one_launch.cuh"
#include "ladder/reduce/vector_parts.cuh"

#include <cstddef>
#include <cstdint>

namespace onefold::ladder {

struct lower_sum {
  static constexpr double identity = -0.0;
  __device__ __forceinline__ static double fold(double a, double b) { return __dadd_rd(a, b); }
};

struct upper_sum {
  static constexpr double identity = -0.0;
  __device__ __forceinline__ static double fold(double a, double b) { return __dadd_ru(a, b); }
};

struct interval {
  double lower, upper;
};

inline constexpr interval nothing_yet = {lower_sum::identity, upper_sum::identity};

struct interval_sum {
  __device__ __forceinline__ static interval fold(interval a, float x) {
    return {lower_sum::fold(a.lower, double{x}), upper_sum::fold(a.upper, double{x})};
  }
};

/// The interval of all lanes' intervals, for lane 0. `warps` has room for two doubles a warp.
static inline __device__ interval fold_block_intervals(interval value, double* warps) {
  return {fold_block<lower_sum>(value.lower, warps),
          fold_block<upper_sum>(value.upper, warps + blockDim.x)};
}

/// Shape:  in[n], n >= 0, aligned to float; *out; pairs[2 * grid]; *ticket is zero before and
///         after; block a power of two; any grid; dynamic shared memory for two doubles a lane.
/// Error:  none beyond one rounding where *decided becomes 1; else *out says nothing.
template <class T>
__global__ void reduce_interval(const T* in, std::size_t n, T* out, double* pairs, unsigned* ticket,
                                std::int64_t* decided) {
  ONEFOLD_DYNAMIC_SHARED(double, warps);
  __shared__ bool is_last;

  interval value = fold_block_intervals(fold_share_onto<interval_sum>(nothing_yet, in, n), warps);
  if (threadIdx.x == 0) {
    pairs[blockIdx.x] = value.lower;
    pairs[gridDim.x + blockIdx.x] = value.upper;
    is_last = draw_last_ticket(ticket);
  }
  __syncthreads();
  if (!is_last) return;

  value = nothing_yet;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
    value.lower = lower_sum::fold(value.lower, pairs[b]);
    value.upper = upper_sum::fold(value.upper, pairs[gridDim.x + b]);
  }
  value = fold_block_intervals(value, warps);
  if (threadIdx.x == 0) {
    *out = static_cast<T>(value.upper);
    *decided = static_cast<T>(value.lower) == static_cast<T>(value.upper);
  }
}

}  // namespace onefold::ladder
