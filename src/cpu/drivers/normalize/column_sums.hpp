// SPDX-License-Identifier: Apache-2.0
// Sums of columns whose rows come one after another: a double word a column, with a bound of its
// error, which decides almost every rounding. docs/numerics/rms-norm.md has the proof.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "cpu/kernels/rounded.hpp"
#include "onefold/detail/float_format.hpp"

namespace onefold::cpu {

/// A double to nearest in W, by way of a float rounded to odd. NaNs become the canonical one.
template <class W>
W narrowed(double x) {
  if constexpr (std::is_same_v<W, double> || std::is_same_v<W, float>) {
    return rounded<W>(W(x));
  } else {
    auto nearest = float(x);
    if (double(nearest) != x && nearest - nearest == 0) {
      auto bits = detail::to_bits(nearest);
      bits -= std::fabs(double(nearest)) > std::fabs(x);
      nearest = detail::from_bits<float>(bits | 1);
    }
    return rounded<W>(nearest);
  }
}

class column_sums {
 public:
  explicit column_sums(std::int64_t columns)
      : high_(std::size_t(columns), -0.0), low_(std::size_t(columns)),
        magnitudes_(std::size_t(columns)) {}

  /// Adds term(j), a float or double, to each column j of first … first + count - 1.
  template <class Term>
  void add(std::int64_t first, std::int64_t count, const Term& term) {
    double *const high = high_.data() + first, *const low = low_.data() + first,
                  *const magnitudes = magnitudes_.data() + first;
    for (std::int64_t j = 0; j < count; ++j) {
      const double x = term(j);
      low[j] += add_to(high[j], x);
      magnitudes[j] += std::fabs(x);
    }
  }
  /// To be called once a row.
  void note_row() { ++rows_; }

  void merge(const column_sums& other) {
    for (std::size_t j = 0; j < high_.size(); ++j) {
      low_[j] += other.low_[j] + add_to(high_[j], other.high_[j]);
      magnitudes_[j] += other.magnitudes_[j];
    }
    rows_ += other.rows_ + 2;
  }

  /// The sum of column j to nearest in W. False: it is ambiguous.
  template <class W>
  bool round(std::int64_t j, W& nearest) const {
    const double high = high_[std::size_t(j)], low = low_[std::size_t(j)],
                 magnitude = magnitudes_[std::size_t(j)], steps = double(rows_ + 4);
    double error = 4 * steps * steps * 0x1p-106 * magnitude;
    if (!std::is_same_v<W, double> && magnitude != 0)
      error += 0x1p-51 * (std::fabs(high) + std::fabs(low));
    const W below = narrowed<W>(high + (low - error)), above = narrowed<W>(high + (low + error));
    // The sign of a zero is that of the terms if all are zeros.
    nearest = magnitude == 0 ? narrowed<W>(high) : above;
    return magnitude == 0 ||
           (detail::to_bits(above) == detail::to_bits(below) && magnitude < 0x1p1000);
  }

 private:
  // a becomes fl(a + x); the error of that, exactly. Source: Knuth's TwoSum.
  static double add_to(double& a, double x) {
    const double t = a + x, z = t - a, error = (a - (t - z)) + (x - z);
    a = t;
    return error;
  }

  std::vector<double> high_, low_, magnitudes_;
  std::int64_t rows_ = 0;
};

}  // namespace onefold::cpu
