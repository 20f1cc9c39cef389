// SPDX-License-Identifier: Apache-2.0
// RMSNorm by its definition: the square sum from exact.hpp, then one operation after the other.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "onefold/exact.hpp"

namespace onefold::test {

/// An element as the type of the elementwise steps: exact. Of a NaN a NaN.
template <class T>
auto step_value(T x) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) {
    exact_sum<T> one;
    one.add(x);
    return one.template value<float>();
  } else {
    return x;
  }
}

/// To nearest; a NaN is the canonical one.
template <class T, class Real>
T rounded_step(Real x) {
  exact_sum<Real> one;
  one.add(x);
  return one.template value<T>();
}

/// 1 / sqrt(s / n + eps) of a row.
template <class T>
double inverse_of_row(const T* x, std::int64_t n, double eps) {
  exact_dot<T> squares;
  for (std::int64_t i = 0; i < n; ++i) squares.add(x[i], x[i]);
  const double mean = squares.template value<double>() / double(n);
  const double inverse = 1 / std::sqrt(mean + eps);
  return std::isnan(inverse) ? std::numeric_limits<double>::quiet_NaN() : inverse;
}

/// y = (x * r) * weight; weight: null for none.
template <class T, class W>
void normalize_row(const T* x, std::int64_t n, const W* weight, double inverse, T* y) {
  using real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto r = static_cast<real>(inverse);
  for (std::int64_t i = 0; i < n; ++i) {
    real scaled = step_value(x[i]) * r;
    if (weight != nullptr) scaled = scaled * step_value(weight[i]);
    y[i] = rounded_step<T>(scaled);
  }
}

/// A gradient times its weight; weight: null for none.
template <class T, class W>
auto weighted_gradient(T g, const W* weight, std::int64_t i) {
  const auto value = step_value(g);
  return weight != nullptr ? value * step_value(weight[i]) : value;
}

/// dx of a row.
template <class T, class W>
void row_gradient(const T* x, const T* g, std::int64_t n, const W* weight, double r, T* dx) {
  using real = decltype(step_value(T()));
  exact_dot<real> dot;
  for (std::int64_t i = 0; i < n; ++i)
    dot.add(weighted_gradient(g[i], weight, i), step_value(x[i]));
  const double square = r * r, cube = square * r, q = cube / double(n);
  const auto c = static_cast<real>(dot.template value<double>() * q);
  for (std::int64_t i = 0; i < n; ++i) {
    const real scaled = weighted_gradient(g[i], weight, i) * static_cast<real>(r);
    const real other = step_value(x[i]) * c;
    dx[i] = rounded_step<T>(scaled - other);
  }
}

/// The terms of dweight at one column.
template <class T>
class column_gradient {
 public:
  using real = decltype(step_value(T()));
  void add(T x, T g, double r) {
    const real normal = step_value(x) * static_cast<real>(r);
    sum_.add(step_value(g) * normal);
  }
  template <class W>
  W value() const {
    return sum_.template value<W>();
  }

 private:
  exact_sum<real> sum_;
};

}  // namespace onefold::test
