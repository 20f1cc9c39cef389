// SPDX-License-Identifier: Apache-2.0
#pragma once
// From double-word sums of distances and of their squares to answers: docs/numerics/moments.md.

#include "cuda/accumulators/double_word_moments.cuh"
#include "cuda/rounding/answer.cuh"
#include "cuda/rounding/epilogue_outputs.hpp"
#include "cuda/rounding/quick_moments.cuh"

namespace onefold::cuda {

/// What all answers of a request have in common.
class double_moments_answers {
 public:
  /// Of n > 0 elements. The remainder of a quotient by more than 2^50 may be no double: no variance
  /// is certified then, and one by a product that is more has two quotients.
  ONEFOLD_HOST_DEVICE double_moments_answers(std::int64_t n, std::int64_t correction)
      : n_(double(n)), per_item_(quotient_by(n)) {
    constexpr std::int64_t most = std::int64_t(1) << 50;
    if (n <= correction || n > most || correction < n - most) return;
    const std::int64_t freedom = n - correction;
    freedom_ = double(freedom), per_freedom_ = quotient_by(freedom);
    if (freedom > most / n) return;
    scale_ = n_ * freedom_, per_scale_ = quotient_by(n * freedom);
  }

  /// Of the sums of n distances from a shift; has_squares: their intervals hold. Whether all that
  /// is asked of answer k is certified, and then written by the lane that `writes`.
  ONEFOLD_DEVICE bool write(const finish_list& finish, const double_word_moments& sums,
                            double shift, bool has_squares, bool is_constant, std::int64_t k,
                            bool writes) const {
    bool certified = true;
    ONEFOLD_ROLLED
    for (int i = 0; certified && i < finish.size; ++i) {
      const finish_item& item = finish.answers[i];
      pair_sum answer;
      if (item.op == op::sum || item.op == op::mean) {
        answer = total(sums.all, shift);
        if (item.op == op::mean) answer = quotient(answer, n_, per_item_);
      } else if (item.op == op::sumsq || item.op == op::norm2) {
        certified = has_squares && shift == 0;
        answer = sums.squares;
      } else {
        certified = freedom_ > 0 && (has_squares || is_constant);
        answer.s = 0;
        if (!is_constant) answer = variance(sums.scaled_variance(n_));
      }
      if (item.op == op::stddev || item.op == op::norm2) answer = root_of(answer);
      certified = certified && write_pair(answer, item, k, writes);
    }
    return certified;
  }

 private:
  // The sum of n numbers k and of those of `all`.
  ONEFOLD_DEVICE pair_sum total(const pair_sum& all, double k) const {
    if (k == 0) return all;
    pair_sum sum = all;
    double s = n_ * k;
    const double error = fma(n_, k, -s);
    sum.add_low(two_sum(s, all.s));
    sum.add_low(error);
    sum.s = s;
    return sum;
  }
  ONEFOLD_DEVICE pair_sum variance(const pair_sum& w) const {
    if (scale_ > 0) return quotient(w, scale_, per_scale_);
    return quotient(quotient(w, n_, per_item_), freedom_, per_freedom_);
  }
  // q = fl(s fl(1 / n)), n < 2^51, leaves t = s - q n exactly: a multiple of an ulp of q, and below
  // 2^52 of them. Ends that are NaN where q or t may underflow.
  ONEFOLD_DEVICE static pair_sum quotient(const pair_sum& sum, double n,
                                          const quotient_bounds& by) {
    if (sum.s == 0 && sum.u == 0 && sum.minus_d == 0) return sum;
    const double q = sum.s * by.reciprocal, t = fma(-q, n, sum.s);
    const double above = __dadd_ru(t, sum.u), below = __dadd_ru(-t, sum.minus_d);
    pair_sum made;
    made.s = q, made.u = quotient_up(above, by), made.minus_d = quotient_up(below, by);
    if (above == -below) {  // a known rest: its quotient may be a double, and the answer a tie
      double e = above * by.reciprocal;
      e = fma(-fma(e, n, -above), by.reciprocal, e);
      if (fma(e, n, -above) == 0) made.u = e, made.minus_d = -e;
    }
    if (!(fabs(sum.s) >= 0x1p-900))
      made.u = made.minus_d = __longlong_as_double(0x7FF8000000000000);
    return made;
  }
  ONEFOLD_DEVICE static bool write_pair(const pair_sum& sum, const finish_item& item,
                                        std::int64_t k, bool writes) {
    if (item.type == dtype::f64) {
      std::uint64_t bits;
      const bool certified = ends_meet(sum.s, sum.u, sum.minus_d, bits);
      if (certified && writes) write_bits<double>(item.to, k, bits);
      return certified;
    }
    if (item.type < dtype::f16 || sum.u - sum.u != 0 || sum.minus_d - sum.minus_d != 0)
      return false;
    const double high = sum.u == 0 ? sum.s : __dadd_ru(sum.s, sum.u);
    const double low = sum.minus_d == 0 ? sum.s : __dadd_rd(sum.s, -sum.minus_d);
    return quick_moments::write_ends(low, high, item, k, writes);
  }

  double n_;
  quotient_bounds per_item_;
  double freedom_ = 0;
  quotient_bounds per_freedom_ = {};
  double scale_ = 0;
  quotient_bounds per_scale_ = {};
};

}  // namespace onefold::cuda
