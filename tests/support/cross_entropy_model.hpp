// SPDX-License-Identifier: Apache-2.0
// The cross entropy of a row and its gradient by the definition of docs/numerics/cross-entropy.md,
// one operation after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/softmax_model.hpp"

namespace onefold::test {

/// What is written of a row.
struct cross_entropy_row {
  float loss;
  double totals[3];
};

/// target: below 0: the row is ignored; n or more: it is no class.
template <class T>
cross_entropy_row cross_entropy_model(const T* x, std::int64_t n, std::int64_t target) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<float> values = numbers_of(x, n);
  if (target < 0) return {0, {0, 0, 0}};
  if (target >= n || !are_numbers(values)) return {float(nan), {0, nan, nan}};
  const softmax_model row(values);
  const float own = values[std::size_t(target)];
  return {0 - row.logarithm<T>(own), {row.band(), row.total(), row.template slope<T>(own)}};
}

/// Of a row whose target is as above, with its scale, and the share that all classes receive.
template <class T>
void cross_entropy_gradient(const T* x, std::int64_t n, std::int64_t target, float scale, T* dx,
                            double label_smoothing = 0) {
  const std::vector<float> values = numbers_of(x, n);
  if (target < 0) return void(std::fill_n(dx, n, T{}));
  if (target >= n || !are_numbers(values) || !std::isfinite(scale)) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    return void(std::fill_n(dx, n, rounded_step<T>(nan)));
  }
  const softmax_model row(values);
  const double each = label_smoothing / double(n);
  const auto shift = float(each * scale);
  for (std::int64_t i = 0; i < n; ++i)
    dx[i] = rounded_step<T>(float(row.quotient(values[std::size_t(i)], scale)) - shift);
  double slope = row.template slope<T>(values[std::size_t(target)]);
  slope += each * double(n - 1);
  dx[target] = rounded_step<T>(float(slope * scale));
}

}  // namespace onefold::test
