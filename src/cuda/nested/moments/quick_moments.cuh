// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances, deviations, means and sums of rows and columns of narrow floats, where an interval of
// doubles decides how they round.
//
// Let k be the first element of a row or column, e = x - k for each of the n elements, A = sum e, B
// = sum e^2, u = 2^-53. Elements are doubles, and multiples of 2^-149: nothing below underflows. d
// = fl(e) = e (1 + t), |t| <= u. At most m < 2^30 additions are one after another: the readers say
// how many. With g = (m + 3) u (1 + 2^-20), as no square is rounded before it is added (fma),
//   |S1 - A| <= g sum |e| <= g sqrt(n B),   |S2 - B| <= g B
// by Cauchy and Schwarz, which also bound A^2 by n B. The variance is V / (n - c), V = B - A^2 / n.
// Rounded three times, S1^2 / n becomes q with |q - A^2 / n| <= (2 g + g^2) B + 3.1 u B, and one
// more rounding makes of S2 - q
//   |M - V| <= (3 g + 4.2 u) B <= (3 (m + 3) (1 + 2^-18) + 5) u S2.
// What the ends M -+ E are rounded by, when they are made and times fl(1 / (n - c)), is at most
// (1 + 3) u S2, so that with
//   E = (4 m + 24) u S2
// the answer is between the ends. All elements equal make S2 = 0, and both ends +0, as they must.
//
// Sums and means have an interval (exact/interval.cuh), as those of batched rows do: data of few
// digits have exact sums, and means that are ties.
// Inf or NaN makes S2 so, and nothing is certified.

#include "cuda/exact/answer.cuh"
#include "cuda/nested/nest.cuh"
#include "cuda/parts/warp.cuh"
#include "onefold/dtype.hpp"

namespace onefold::cuda {

/// Sums of the distances of a row's elements from its first one, and of the elements.
template <bool Means>
struct shifted_sums {
  double first, s1 = 0, s2 = 0;
  interval_sum all = {};

  ONEFOLD_DEVICE void add(double x) {
    const double d = x - first;
    s1 += d;
    s2 = fma(d, d, s2);
    if constexpr (Means) all.add(x);
  }
  ONEFOLD_DEVICE void join(const shifted_sums& other) {
    s1 += other.s1;
    s2 += other.s2;
    if constexpr (Means) all.join(other.all);
  }
  /// Those of all lanes of a row, in each of them.
  ONEFOLD_DEVICE void fold(int lanes) {
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2) {
      s1 += __shfl_xor_sync(whole_warp, s1, step);
      s2 += __shfl_xor_sync(whole_warp, s2, step);
      if constexpr (Means) all.join(sum_across(all, step));
    }
  }
};

/// What all answers of a request have in common.
class quick_moments {
 public:
  /// m: additions one after another, at most.
  ONEFOLD_HOST_DEVICE quick_moments(const nested_request& of, double m)
      : n_(double(of.items)), per_item_(1 / n_),
        per_freedom_(1 / (n_ - double(of.finish.correction))), error_((4 * m + 24) * 0x1p-53) {}

  /// Whether all that is asked of answer k is decided, and then written by the lane that `writes`.
  template <bool Means>
  ONEFOLD_DEVICE bool write(const finish_list& finish, const shifted_sums<Means>& sums,
                            std::int64_t k, bool writes) const {
    bool certified = sums.s2 - sums.s2 == 0;
    ONEFOLD_ROLLED
    for (int i = 0; certified && i < finish.size; ++i) {
      const finish_item& asked = finish.answers[i];
      const bool is_root = asked.what == op::stddev;
      double low, high;
      if (Means && !is_root && asked.what != op::var)
        mean_ends(sums.all, asked.what == op::mean, low, high);
      else
        certified = spread_ends(sums, is_root, low, high);
      certified = certified && write_ends(low, high, asked, k, writes);
    }
    return certified;
  }

  /// Whether both ends round to one value, and then written by the lane that `writes`.
  ONEFOLD_DEVICE static bool write_ends(double low, double high, const finish_item& asked,
                                        std::int64_t k, bool writes) {
    if (asked.type == dtype::f32) return write_as<float>(low, high, asked.to, k, writes);
    if (asked.type == dtype::f16) return write_as<f16>(low, high, asked.to, k, writes);
    return write_as<bf16>(low, high, asked.to, k, writes);
  }

 private:
  template <bool Means>
  ONEFOLD_DEVICE bool spread_ends(const shifted_sums<Means>& sums, bool is_root, double& low,
                                  double& high) const {
    const double top = sums.s2 - sums.s1 * sums.s1 * per_item_, error = error_ * sums.s2;
    low = top > error ? (top - error) * per_freedom_ : 0;
    high = (top + error) * per_freedom_;
    if (is_root) low = __dsqrt_rd(low), high = __dsqrt_ru(high);
    return top >= 0;
  }
  ONEFOLD_DEVICE void mean_ends(const interval_sum& sum, bool is_mean, double& low,
                                double& high) const {
    high = is_mean ? __ddiv_ru(sum.u, n_) : sum.u;
    low = -(is_mean ? __ddiv_ru(sum.minus_d, n_) : sum.minus_d);
  }
  // Ends of zero that differ by sign alone: the upper one is right.
  template <class Out>
  ONEFOLD_DEVICE static bool write_as(double low, double high, void* out, std::int64_t k,
                                      bool writes) {
    const auto above = rounded_bits<Out>(high);
    if (above != rounded_bits<Out>(low) && low != high) return false;
    if (writes) write_bits<Out>(out, k, above);
    return true;
  }

  double n_, per_item_, per_freedom_, error_;
};

}  // namespace onefold::cuda
