// SPDX-License-Identifier: Apache-2.0
// The least and the largest of numbers written as text.
//
// Rounding to f64 keeps the order, so the least number, rounded, is the least of the rounded ones.
// Integers that fit 64 bits are kept as they are.
#pragma once

#include <cstdint>

#include "onefold/detail/extrema.hpp"

namespace onefold::program {

class text_range {
 public:
  void add(std::int64_t value) { integers_.add(value, 0); }
  /// Precondition: no NaN.
  void add(double value) { others_.add(value, 0); }

  void merge(const text_range& other) {
    integers_.merge(other.integers_);
    others_.merge(other.others_);
  }

  bool empty() const { return integers_.empty(true) && others_.empty(true); }
  /// Whether there is a number, and all fit 64 bits and were written as integers.
  bool all_integers() const { return !integers_.empty(true) && others_.empty(true); }

  /// Precondition: all_integers().
  std::int64_t least_integer() const { return integers_.min<std::int64_t>(true); }
  std::int64_t largest_integer() const { return integers_.max<std::int64_t>(true); }
  /// Precondition: !empty().
  double least() const { return rounded().min<double>(true); }
  double largest() const { return rounded().max<double>(true); }

 private:
  onefold::detail::extrema rounded() const {
    auto all = others_;
    if (integers_.empty(true)) return all;
    all.add(double(least_integer()), 0);
    all.add(double(largest_integer()), 0);
    return all;
  }

  onefold::detail::extrema integers_;
  onefold::detail::extrema others_;
};

}  // namespace onefold::program
