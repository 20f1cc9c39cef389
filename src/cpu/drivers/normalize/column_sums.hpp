// SPDX-License-Identifier: Apache-2.0
// Sums of columns whose rows come one after another: a double word a column, with a bound of its
// error, which decides almost every rounding. docs/numerics/rms-norm.md has the proof.
#pragma once

#include <algorithm>
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
        errors_(std::size_t(columns)) {}

  /// Adds term(j), a float or double, to each column j of first … first + count - 1.
  template <class Term>
  void add(std::int64_t first, std::int64_t count, const Term& term) {
    double *const high = high_.data() + first, *const low = low_.data() + first,
                  *const errors = errors_.data() + first;
    for (std::int64_t j = 0; j < count; ++j) {
      const double error = add_to(high[j], term(j));
      low[j] += error;
      errors[j] += std::fabs(error);
    }
  }
  /// Adds term(i) of rows 0 … rows - 1 to column j alone: the sum is in registers.
  template <class Term>
  void add_column(std::int64_t j, std::int64_t rows, const Term& term) {
    double high = high_[std::size_t(j)], low = 0, errors = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      const double error = add_to(high, term(i));
      low += error;
      errors += std::fabs(error);
    }
    high_[std::size_t(j)] = high, low_[std::size_t(j)] += low, errors_[std::size_t(j)] += errors;
  }
  /// To be called once a row.
  void note_row() { ++rows_; }
  void note_rows(std::int64_t rows) { rows_ += rows; }

  void merge(const column_sums& other) {
    for (std::size_t j = 0; j < high_.size(); ++j) {
      const double error = add_to(high_[j], other.high_[j]);
      low_[j] += other.low_[j] + error;
      errors_[j] += other.errors_[j] + std::fabs(error);
    }
    rows_ += other.rows_ + 2;
  }

  /// Forgets the first `count` columns. Precondition: the others are not used.
  void clear(std::int64_t count) {
    std::fill_n(high_.begin(), count, -0.0);
    std::fill_n(low_.begin(), count, 0.0);
    std::fill_n(errors_.begin(), count, 0.0);
    rows_ = 0;
  }

  /// The sum of column j to nearest in W. False: it is ambiguous.
  template <class W>
  bool round(std::int64_t j, W& nearest) const {
    const double high = high_[std::size_t(j)];
    return round_ends(high, low_[std::size_t(j)], error(j), nearest);
  }

  /// The sum of column j divided by n > 0 to nearest in W. False: it is ambiguous.
  template <class W>
  bool round_mean(std::int64_t j, std::int64_t n, W& nearest) const {
    const double high = high_[std::size_t(j)], low = low_[std::size_t(j)], divisor = double(n),
                 quotient = high / divisor, rest = std::fma(-quotient, divisor, high) + low;
    if (high != 0 && std::fabs(high) < 0x1p-900) return false;  // the remainder may underflow
    const double bound = error(j);
    if (bound == 0 && rest == 0) return round_ends(quotient, 0, 0, nearest);
    return round_ends(quotient, rest / divisor,
                      (bound + 0x1p-50 * (std::fabs(rest) + std::fabs(low))) / divisor, nearest);
  }

 private:
  // a becomes fl(a + x); the error of that, exactly. Source: Knuth's TwoSum.
  static double add_to(double& a, double x) {
    const double t = a + x, z = t - a, error = (a - (t - z)) + (x - z);
    a = t;
    return error;
  }

  // Of the low part; 0 only if no addition had an error, or not known where one is not finite.
  double error(std::int64_t j) const {
    return double(rows_ + 4) * (0x1p-52 * errors_[std::size_t(j)]);
  }

  // high + low, within `error`.
  template <class W>
  static bool round_ends(double high, double low, double error, W& nearest) {
    if (low == 0 && error == 0) {
      nearest = narrowed<W>(high);  // with the sign of its zero
      return high - high == 0;
    }
    if (!std::is_same_v<W, double>) error += 0x1p-51 * (std::fabs(high) + std::fabs(low));
    const W below = narrowed<W>(high + (low - error));
    nearest = narrowed<W>(high + (low + error));
    return detail::to_bits(nearest) == detail::to_bits(below) && high - high == 0 &&
           error - error == 0;
  }

  std::vector<double> high_, low_, errors_;
  std::int64_t rows_ = 0;
};

}  // namespace onefold::cpu
