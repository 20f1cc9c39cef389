// SPDX-License-Identifier: Apache-2.0
// LayerNorm by its definition: the sums from exact.hpp, then one operation after the other.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/rms_norm_model.hpp"

namespace onefold::test {

/// The mean of a row; zeros are +0, a NaN is the canonical one.
template <class T>
double mean_of_row(const T* x, std::int64_t n) {
  exact_sum<T> sum;
  for (std::int64_t i = 0; i < n; ++i) sum.add(x[i]);
  const double mean = sum.template value<double>() / double(n);
  if (std::isnan(mean)) return std::numeric_limits<double>::quiet_NaN();
  return mean == 0 ? 0.0 : mean;
}

/// A row less its mean.
template <class T>
auto centred_row(const T* x, std::int64_t n, double mean) {
  using real = decltype(step_value(T()));
  std::vector<real> d;
  for (std::int64_t i = 0; i < n; ++i) {
    const double difference = double(step_value(x[i])) - mean;
    d.push_back(static_cast<real>(difference));
  }
  return d;
}

/// m, r and y = (d * r) * weight + bias of a row; weight, bias: null for none.
template <class T, class W>
void layer_normalize_row(const T* x, std::int64_t n, const W* weight, const W* bias, double eps,
                         double& mean, double& inverse, T* y) {
  mean = mean_of_row(x, n);
  const auto d = centred_row(x, n, mean);
  inverse = inverse_of_row(d.data(), n, eps);
  using real = typename decltype(d)::value_type;
  const auto r = static_cast<real>(inverse);
  for (std::int64_t i = 0; i < n; ++i) {
    real scaled = d[std::size_t(i)] * r;
    if (weight != nullptr) scaled = scaled * step_value(weight[i]);
    if (bias != nullptr) scaled = scaled + step_value(bias[i]);
    y[i] = rounded_step<T>(scaled);
  }
}

/// dx of a row.
template <class T, class W>
void layer_norm_gradient(const T* x, const T* g, std::int64_t n, const W* weight, double mean,
                         double r, T* dx) {
  const auto d = centred_row(x, n, mean);
  using real = typename decltype(d)::value_type;
  exact_dot<real> dot;
  exact_sum<real> sum;
  for (std::int64_t i = 0; i < n; ++i) {
    const real a = weighted_gradient(g[i], weight, i);
    dot.add(a, d[std::size_t(i)]), sum.add(a);
  }
  const double square = r * r, cube = square * r, q = cube / double(n);
  const auto c = static_cast<real>(dot.template value<double>() * q);
  const auto shift = static_cast<real>(sum.template value<double>() / double(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const real shifted = weighted_gradient(g[i], weight, i) - shift;
    const real scaled = shifted * static_cast<real>(r), other = d[std::size_t(i)] * c;
    dx[i] = rounded_step<T>(scaled - other);
  }
}

/// The terms of dweight and dbias at one column.
template <class T>
class layer_norm_columns {
 public:
  using real = decltype(step_value(T()));
  void add(T x, T g, double mean, double r) {
    const double difference = double(step_value(x)) - mean;
    const real normal = static_cast<real>(difference) * static_cast<real>(r);
    weight_.add(step_value(g) * normal), bias_.add(g);
  }
  template <class W>
  W weight() const {
    return weight_.template value<W>();
  }
  template <class W>
  W bias() const {
    return bias_.template value<W>();
  }

 private:
  exact_sum<real> weight_;
  exact_sum<T> bias_;
};

}  // namespace onefold::test
