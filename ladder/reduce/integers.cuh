// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/integers: whole numbers below the largest exponent.
//
// Integers add up in any order without rounding. A float is an integer of 24 bits times a power of
// two; so if the largest exponent of the array is known, every element becomes a whole number of
// one small unit, 2^-72 of that of the largest, and the numbers are added as integers of 128 bits:
// 24 bits, 72 below them, 28 for the count, a sign. REDUX adds up a warp's lanes in pieces of 27
// bits, 32 of which stay below 2^32. The last block rounds the total, once. An element that has
// bits below the unit, Inf and NaN, and a total of zero, whose sign the integers do not have, are
// left to another kernel.
//
// It costs a second pass: the first finds the largest exponent. The engine sums small arrays by
// this idea in one pass, as one block has all their elements in registers
// (src/cuda/kernels/whole/window_sum.cuh).

#include "ladder/operators.cuh"
#include "ladder/reduce/one_launch.cuh"
#include "ladder/reduce/vector_parts.cuh"

#include <cstddef>
#include <cstdint>

namespace onefold::ladder {

__extension__ typedef __int128 integer;
__extension__ typedef unsigned __int128 natural;
inline constexpr int below_largest = 72;  ///< bits
inline constexpr int limb_bits = 27, limbs_of_integer = 5;

/// The exponents' field of a float: 255 of Inf and NaN, 0 of the numbers below 2^-126.
struct largest_exponent {
  __device__ __forceinline__ static unsigned fold(unsigned largest, float x) {
    return max(largest, __float_as_uint(x) >> 23 & 255);
  }
};

/// Shape: in[n], n >= 0, aligned to float; *largest is zero before; block a multiple of 32.
static __global__ void find_largest_exponent(const float* in, std::size_t n, unsigned* largest) {
  const unsigned found = __reduce_max_sync(~0u, fold_share_onto<largest_exponent>(0u, in, n));
  if (threadIdx.x % 32 == 0) atomicMax(largest, found);
}

/// What a lane has added, in units of 2^-72 of the largest exponent's.
struct lane_integer {
  integer total = 0;
  int largest = 0;
  bool loses = false;  ///< bits below the unit

  __device__ void add(float x) {
    const std::uint32_t bits = __float_as_uint(x);
    const int field = static_cast<int>(bits >> 23 & 255);
    const std::uint32_t significand = (bits & 0x7FFFFF) | (field == 0 ? 0u : 0x800000u);
    const int shift = max(field, 1) - max(largest, 1) + below_largest;
    const int cut = min(max(-shift, 0), 24);
    loses |= (significand & ((1u << cut) - 1)) != 0;
    const integer magnitude = integer{significand >> cut} << max(shift, 0);
    total += bits >> 31 != 0 ? -magnitude : magnitude;
  }
};

struct integer_sum {
  __device__ __forceinline__ static lane_integer fold(lane_integer a, float x) {
    a.add(x);
    return a;
  }
};

/// total * 2^exponent, to nearest, ties to even. total is not 0.
static inline __device__ float rounded_once(integer total, int exponent) {
  const natural magnitude = total < 0 ? -total : total;
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int width = high != 0 ? 128 - __clzll(static_cast<long long>(high))
                              : 64 - __clzll(static_cast<long long>(magnitude));
  const int unit = max(width - 24 + exponent, -149);  // of the result
  const int drop = unit - exponent;
  if (drop <= 0) {
    const float exact = ldexpf(static_cast<float>(static_cast<std::uint64_t>(magnitude)), exponent);
    return total < 0 ? -exact : exact;
  }
  const auto kept = static_cast<std::uint32_t>(magnitude >> drop);
  const natural rest = magnitude & ((natural{1} << drop) - 1);
  const natural half = natural{1} << (drop - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  const float rounded = ldexpf(static_cast<float>(kept + up), unit);
  return total < 0 ? -rounded : rounded;
}

/// Zero before and after every launch.
struct integer_workspace {
  unsigned long long limbs[limbs_of_integer];
  unsigned largest, loses;
};

/// Adds a lane's integer to limbs[] in shared memory, warp by warp.
static inline __device__ void add_limbs(const lane_integer& lane, unsigned long long* limbs) {
  for (int i = 0; i + 1 < limbs_of_integer; ++i) {
    const auto limb =
        static_cast<unsigned>(lane.total >> (limb_bits * i)) & ((1u << limb_bits) - 1);
    const unsigned sum = __reduce_add_sync(~0u, limb);
    if (threadIdx.x % 32 == 0) atomicAdd(&limbs[i], static_cast<unsigned long long>(sum));
  }
  // The highest limb has the sign.
  constexpr int last = limbs_of_integer - 1;
  const int sum = __reduce_add_sync(~0u, static_cast<int>(lane.total >> (limb_bits * last)));
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&limbs[last], static_cast<unsigned long long>(static_cast<long long>(sum)));
  }
}

/// Rounds the total of the grid. One lane.
template <class T>
static inline __device__ void write_rounded(const unsigned long long* limbs, int largest,
                                            bool loses, T* out, std::int64_t* decided) {
  integer total = 0;
  for (int i = 0; i < limbs_of_integer; ++i) {
    total += integer{static_cast<long long>(limbs[i])} << (limb_bits * i);
  }
  *decided = !loses && largest != 255 && total != 0;
  if (total != 0) *out = rounded_once(total, max(largest, 1) - 150 - below_largest);
}

/// Shape:  in[n], 0 <= n <= 2^28, aligned to T; *out; work->largest as find_largest_exponent left
///         it; *ticket is zero before and after; block a multiple of 32; any grid.
/// Error:  none beyond one rounding where *decided becomes 1; else *out says nothing.
/// Order:  none: integers. The same bits from every block, grid and schedule.
template <class T>
__global__ void reduce_integers(const T* in, std::size_t n, T* out, integer_workspace* work,
                                unsigned* ticket, std::int64_t* decided) {
  __shared__ unsigned long long limbs[limbs_of_integer];
  __shared__ bool is_last;
  if (threadIdx.x < limbs_of_integer) limbs[threadIdx.x] = 0;
  __syncthreads();

  const int largest = static_cast<int>(work->largest);
  const lane_integer lane = fold_share_onto<integer_sum>(lane_integer{0, largest}, in, n);
  add_limbs(lane, limbs);
  if (lane.loses) atomicOr(&work->loses, 1u);
  __syncthreads();
  if (threadIdx.x < limbs_of_integer) atomicAdd(&work->limbs[threadIdx.x], limbs[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) is_last = draw_last_ticket(ticket);
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;

  write_rounded(work->limbs, largest, work->loses != 0, out, decided);
  *work = {};
}

}  // namespace onefold::ladder
