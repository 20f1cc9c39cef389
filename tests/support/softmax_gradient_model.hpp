// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax and log_softmax by the definition of docs/numerics/softmax.md: sums from
// exact.hpp, then one operation after the other.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "onefold/exact.hpp"
#include "support/softmax_model.hpp"

namespace onefold::test {

/// E of an element of band 0, as a float; 0 of lower bands, +Inf of higher ones.
inline float exponential_of_result(float y) {
  if (y != y || y > 256) return y != y ? y : std::numeric_limits<float>::infinity();
  return y < -256 ? 0 : static_cast<float>(exponential_model(y));
}

/// dx of a row; y, what softmax or log_softmax gave, and its gradient g.
template <class T>
void softmax_gradient_row(const T* y, const T* g, std::int64_t n, bool logarithm, T* dx) {
  exact_sum<T> sum;
  exact_dot<T> dot;
  for (std::int64_t i = 0; i < n; ++i) sum.add(g[i]), dot.add(g[i], y[i]);
  const float s = logarithm ? sum.template value<float>() : dot.template value<float>();
  std::vector<T> made;
  for (std::int64_t i = 0; i < n; ++i) {
    const float own = step_value(y[i]), gradient = step_value(g[i]);
    if (logarithm) {
      const float product = exponential_of_result(own) * s;
      made.push_back(rounded_step<T>(gradient - product));
    } else {
      const float difference = gradient - s;
      made.push_back(rounded_step<T>(difference * own));
    }
  }
  for (std::int64_t i = 0; i < n; ++i) dx[i] = made[std::size_t(i)];
}

}  // namespace onefold::test
