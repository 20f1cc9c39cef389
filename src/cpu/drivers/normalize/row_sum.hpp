// SPDX-License-Identifier: Apache-2.0
// The sum of a row's terms by doubles in lanes, with a bound of its error, which certifies almost
// every rounding. The loop has no branches, so that compilers vectorise it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "onefold/detail/float_format.hpp"

namespace onefold::cpu {

/// The sum in lanes is within 2 K u of the sum of the terms' magnitudes, K the additions of a lane
/// and of the lanes (docs/numerics/rms-norm.md).
class row_sum {
 public:
  row_sum() { std::fill_n(sums_, lanes, -0.0); }

  /// Adds term(i), doubles, for first <= i < end. Precondition: only the last call of a row has a
  /// number of terms that is no multiple of 8.
  template <class Term>
  void add(std::int64_t first, std::int64_t end, const Term& term) {
    double sums[lanes], magnitudes[lanes];
    std::copy_n(sums_, lanes, sums), std::copy_n(magnitudes_, lanes, magnitudes);
    const auto add_to = [&](std::int64_t lane, double x) {
      sums[lane] += x, magnitudes[lane] += std::fabs(x);
    };
    for (; first + lanes <= end; first += lanes)
      for (std::int64_t lane = 0; lane < lanes; ++lane) add_to(lane, term(first + lane));
    for (std::int64_t lane = 0; first + lane < end; ++lane) add_to(lane, term(first + lane));
    std::copy_n(sums, lanes, sums_), std::copy_n(magnitudes, lanes, magnitudes_);
  }

  /// round(s), s the exact sum of all n terms, for a monotonic `round`. False: it is ambiguous, or
  /// not finite.
  template <class Round, class Real>
  bool certify(std::int64_t n, const Round& round, Real& nearest) const {
    double sum = sums_[0], magnitude = magnitudes_[0];
    for (std::int64_t lane = 1; lane < lanes; ++lane)
      sum += sums_[lane], magnitude += magnitudes_[lane];
    if (magnitude == 0) return nearest = round(sum), true;
    const std::int64_t steps = n / lanes + 2 * lanes;
    const double error = 2 * double(steps) * 0x1p-53 * magnitude;
    const Real below = round(sum - error);
    nearest = round(sum + error);
    return detail::to_bits(nearest) == detail::to_bits(below) && nearest - nearest == 0;
  }

 private:
  static constexpr std::int64_t lanes = 8;
  double sums_[lanes], magnitudes_[lanes] = {};
};

}  // namespace onefold::cpu
