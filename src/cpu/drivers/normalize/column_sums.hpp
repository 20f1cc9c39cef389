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

/// A sum as a double word, and the sum of what its additions were off by.
struct double_word_sum {
  double high = -0.0, low = 0, errors = 0;

  void add(double x) {
    const double error = add_to(high, x);
    low += error;
    errors += std::fabs(error);
  }
  void merge(const double_word_sum& other) {
    const double error = add_to(high, other.high);
    low += other.low + error;
    errors += other.errors + std::fabs(error);
  }

  /// The sum of `rows` terms to nearest in W; a merge counts as two. False: it is ambiguous.
  template <class W>
  bool round(std::int64_t rows, W& nearest) const {
    return round_ends(high, low, error(rows), nearest);
  }

  /// The sum divided by n > 0 to nearest in W. False: it is ambiguous.
  template <class W>
  bool round_mean(std::int64_t rows, std::int64_t n, W& nearest) const {
    const double divisor = double(n), quotient = high / divisor,
                 rest = std::fma(-quotient, divisor, high) + low;
    if (high != 0 && std::fabs(high) < 0x1p-900) return false;  // the remainder may underflow
    const double bound = error(rows);
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
  double error(std::int64_t rows) const { return double(rows + 4) * (0x1p-52 * errors); }

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
};

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
      double_word_sum sum = {high[j], low[j], errors[j]};
      sum.add(term(j));
      high[j] = sum.high, low[j] = sum.low, errors[j] = sum.errors;
    }
  }
  /// Adds term(i) of rows 0 … rows - 1 to column j alone: the sum is in registers.
  template <class Term>
  void add_column(std::int64_t j, std::int64_t rows, const Term& term) {
    double_word_sum sum = at(j);
    for (std::int64_t i = 0; i < rows; ++i) sum.add(term(i));
    put(j, sum);
  }
  /// To be called once a row.
  void note_row() { ++rows_; }
  void note_rows(std::int64_t rows) { rows_ += rows; }

  void merge(const column_sums& other) {
    for (std::int64_t j = 0; j < std::int64_t(high_.size()); ++j) {
      double_word_sum sum = at(j);
      sum.merge(other.at(j));
      put(j, sum);
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
    return at(j).round(rows_, nearest);
  }
  /// The sum of column j divided by n > 0 to nearest in W. False: it is ambiguous.
  template <class W>
  bool round_mean(std::int64_t j, std::int64_t n, W& nearest) const {
    return at(j).round_mean(rows_, n, nearest);
  }

 private:
  double_word_sum at(std::int64_t j) const {
    return {high_[std::size_t(j)], low_[std::size_t(j)], errors_[std::size_t(j)]};
  }
  void put(std::int64_t j, const double_word_sum& sum) {
    high_[std::size_t(j)] = sum.high, low_[std::size_t(j)] = sum.low;
    errors_[std::size_t(j)] = sum.errors;
  }

  std::vector<double> high_, low_, errors_;
  std::int64_t rows_ = 0;
};

}  // namespace onefold::cpu
