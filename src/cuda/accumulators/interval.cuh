// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a lane knows of a sum whose elements can be read again: docs/numerics/intervals.md has the
// theorems. All start as the sum of nothing but -0.

#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

/// How the ends of an interval are rounded; tests also round to nearest.
struct upward {
  ONEFOLD_DEVICE static double add(double a, double b) { return __dadd_ru(a, b); }
  ONEFOLD_DEVICE static float add(float a, float b) { return __fadd_ru(a, b); }
};

/// u >= S >= -minus_d, with ends in Number: every term is one, and so are sums that underflow.
template <class Rounding, class Number = double>
struct interval_sum_of {
  static constexpr int parts = 2;
  Number u = Number(-0.0), minus_d = 0;

  /// Of one term: exact. Only here, and where all terms are +0, minus_d can be -0.
  ONEFOLD_DEVICE void begin(Number x) { u = x, minus_d = -x; }
  ONEFOLD_DEVICE void add(Number x) {
    u = Rounding::add(u, x);
    minus_d = Rounding::add(minus_d, -x);
  }
  ONEFOLD_DEVICE void join(const interval_sum_of& other) {
    u = Rounding::add(u, other.u);
    minus_d = Rounding::add(minus_d, other.minus_d);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(u), f(minus_d);
  }
};

using interval_sum = interval_sum_of<upward>;

/// a becomes fl(a + x); the error of that, exactly. Source: Knuth's TwoSum.
ONEFOLD_DEVICE double two_sum(double& a, double x) {
  const double t = a + x, z = t - a;
  const double error = (a - (t - z)) + (x - z);
  a = t;
  return error;
}

/// s + u >= S >= s - minus_d: an interval bounds the errors of s. They are added up to zeros of any
/// sign, so if s is -0 its sign counts.
struct pair_sum {
  static constexpr int parts = 3;
  double s = -0.0, u = 0, minus_d = 0;

  /// Of two terms.
  ONEFOLD_DEVICE void begin(double x, double y) { s = x, u = two_sum(s, y), minus_d = -u; }
  ONEFOLD_DEVICE void add_low(double e) { u = __dadd_ru(u, e), minus_d = __dadd_ru(minus_d, -e); }
  ONEFOLD_DEVICE void add(double x) { add_low(two_sum(s, x)); }
  /// Below 2^-960 the error of the product may be no double.
  ONEFOLD_DEVICE void add_product(double x, double y) {
    const double p = x * y;
    add(p);
    add_low(fma(x, y, -p));
    if (fabs(p) < 0x1p-960 && x != 0 && y != 0) u = __longlong_as_double(0x7FF8000000000000);
  }
  ONEFOLD_DEVICE void join(const pair_sum& other) {
    const double e = two_sum(s, other.s);
    u = __dadd_ru(__dadd_ru(u, other.u), e);
    minus_d = __dadd_ru(__dadd_ru(minus_d, other.minus_d), -e);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    f(s), f(u), f(minus_d);
  }
};

/// Integers, in the counters of integer_terms: counter k counts 2^(32 k).
template <int Counters>
struct counter_sum {
  static constexpr int parts = Counters;
  std::int64_t counts[Counters] = {};

  ONEFOLD_DEVICE void join(const counter_sum& other) {
    ONEFOLD_UNROLL
    for (int i = 0; i < Counters; ++i) counts[i] += other.counts[i];
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    ONEFOLD_UNROLL
    for (int i = 0; i < Counters; ++i) f(counts[i]);
  }
};

/// The sum of the lane whose number differs by `mask`. Every lane of the warp calls it.
template <class Sum>
ONEFOLD_DEVICE Sum sum_across(Sum sum, int mask) {
  sum.for_each_part([mask](auto& part) { part = __shfl_xor_sync(whole_warp, part, mask); });
  return sum;
}

/// The sum of each 2^k = `lanes` neighbours, in each of them. Every lane of the warp calls it.
template <class Sum>
ONEFOLD_DEVICE void join_group(Sum& total, unsigned lanes) {
  ONEFOLD_ROLLED
  for (unsigned mask = 1; mask < lanes; mask *= 2) total.join(sum_across(total, int(mask)));
}

/// Parts of sums in memory, `apart` words from one to the next.
template <class Sum>
ONEFOLD_DEVICE void write_sum(Sum sum, std::int64_t* to, std::int64_t apart) {
  sum.for_each_part([&](auto& part) {
    *to = __builtin_bit_cast(std::int64_t, part);
    to += apart;
  });
}
template <class Sum>
ONEFOLD_DEVICE Sum read_sum(const std::int64_t* from, std::int64_t apart) {
  Sum sum;
  sum.for_each_part([&]<class Part>(Part& part) {
    part = __builtin_bit_cast(Part, *from);
    from += apart;
  });
  return sum;
}

/// The sum of all lanes of an answer, in the first of them: of fewer than a warp, neighbours belong
/// to different answers. meeting: a sum for each warp. Every lane of the block calls it.
template <class Sum>
ONEFOLD_DEVICE Sum join_lanes(Sum total, unsigned lanes, std::int64_t* meeting) {
  ONEFOLD_ROLLED
  for (unsigned mask = lanes < warp_lanes ? warp_lanes / lanes : 1; mask < warp_lanes; mask *= 2)
    total.join(sum_across(total, int(mask)));
  if (lanes <= warp_lanes) return total;
  const unsigned warps = blockDim.x / warp_lanes, warp = threadIdx.x / warp_lanes;
  if (lane_index() == 0) write_sum(total, meeting + warp, warps);
  __syncthreads();
  ONEFOLD_ROLLED
  for (unsigned w = 1; w < lanes / warp_lanes && threadIdx.x % lanes == 0; ++w)
    total.join(read_sum<Sum>(meeting + warp + w, warps));
  __syncthreads();
  return total;
}

}  // namespace onefold::cuda
