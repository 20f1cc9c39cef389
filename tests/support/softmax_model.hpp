// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax of a row by the definition of docs/numerics/softmax.md, one operation
// after the other, with GMP's integers for the sums. Of the library only the logarithm of a sum.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "state/logarithm.hpp"
#include "support/oracle.hpp"
#include "support/rms_norm_model.hpp"

namespace onefold::test {

/// E of an element that is `rest` above the middle of its band.
inline double exponential_model(float rest) {
  const double k = std::nearbyint(double(rest) * 0x1.715476p+5);
  const float near = std::fma(float(k), -0x1.62e43p-6f, rest);
  const float t = std::fma(float(k), 0x1.05c61p-34f, near);
  const float p = std::fma(t, 0x1.555594p-3f, 0x1.000088p-1f);
  const double step = k - 32 * std::floor(k / 32);
  const double power =
      std::ldexp(double(std::exp2((long double)(step) / 32)), int(std::floor(k / 32)));
  return std::fma(power, double(std::fma(t * t, p, t)), power);
}

/// s to 32 bits; subnormal doubles to multiples of 2^-1053.
inline double short_model(double s) {
  int exponent = 0;
  std::frexp(s, &exponent);
  const int place = std::max(exponent, -1021) - 32;
  return std::ldexp(std::nearbyint(std::ldexp(s, -place)), place);
}

/// A row's sums.
class softmax_model {
 public:
  explicit softmax_model(const std::vector<float>& x) {
    float most = -std::numeric_limits<float>::infinity();
    for (const float one : x) most = std::max(most, one);
    band_ = band_of(most);
    for (const float one : x) {
      if (band_of(one) == band_) top_ += integer(exponential_model(rest_of(one)));
      if (is_below(one)) below_ += integer(exponential_model(rest_of(one)));
    }
    total_ = sum_without(0);
  }

  double band() const { return band_ + 0.0; }  // +0 for -0
  double total() const { return total_; }

  /// scale: what quotients are multiplied by.
  double quotient(float x, double scale = 1) const {
    const double by = 1 / total_;
    if (band_of(x) == band_) return exponential_model(rest_of(x)) * (by * scale);
    return (is_below(x) ? exponential_model(rest_of(x)) : 0) * (by * ratio * scale);
  }
  template <class T>
  float logarithm(float x) const {
    const double y = difference<T>(x);
    if (y <= -0.5) return float(y);
    const double own = exponential_model(rest_of(x));
    const double q = sum_without(own) / own, u = q / (2 + q), v = u * u;
    double series = 0;
    for (const int power : {17, 15, 13, 11, 9, 7, 5, 3}) series = std::fma(v, series, 1.0 / power);
    return float(0 - std::fma((u + u) * v, series, u + u));
  }
  /// The quotient of x less 1.
  template <class T>
  double slope(float x) const {
    if (difference<T>(x) <= -0.5) return quotient(x) - 1;
    return 0 - sum_without(exponential_model(rest_of(x))) * (1 / total_);
  }

 private:
  static constexpr int places = 434;
  static constexpr double ratio = 0x1.44109edb20931p-739;

  template <class T>
  double difference(float x) const {
    const auto whole = detail::logarithm_of(detail::scaled_pair{total_, 0, 0}, band_ * 512);
    double y = (double(x) - whole.high) - whole.low;
    if constexpr (sizeof(T) == 2) {
      const auto high = float(whole.high);
      const auto low = float((whole.high - double(high)) + whole.low);
      y = double((x - high) - low);
    }
    return y;
  }

  static double band_of(float x) { return std::nearbyint(double(x) / 512); }
  // Beyond 2^52 no element is of the next band.
  bool is_below(float x) const { return std::fabs(band_) < 0x1p52 && band_of(x) == band_ - 1; }
  float rest_of(float x) const { return float(double(x) - 512 * band_of(x)); }
  static mpz_class integer(double e) { return mpz_class(std::ldexp(e, places)); }
  static double real(const mpz_class& sum) {
    return as_float<double>(rounded<double>(sum, -places));
  }

  double sum_without(double e) const {
    const mpz_class top = top_ - integer(e);
    const double high = real(top), low = real(top - integer(high));
    if (below_ == 0) return short_model(high);
    const double less = real(below_), less_low = real(below_ - integer(less)), part = less * ratio;
    const double rest =
        std::fma(less, ratio, -part) + (less * 0x1.68e232c6d0cfbp-793 + less_low * ratio);
    // The upper part of a double-word sum: `both` is exact with its error.
    const double both = high + part, other = both - high;
    const double error = (high - (both - other)) + (part - other);
    return short_model(both + (error + (low + rest)));
  }

  mpz_class top_, below_;
  double band_ = 0, total_ = 0;
};

template <class T>
std::vector<float> numbers_of(const T* x, std::int64_t n) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(step_value(x[i]));
  return values;
}
/// Whether there is no NaN, and the largest is finite.
inline bool are_numbers(const std::vector<float>& values) {
  return std::isfinite(*std::max_element(values.begin(), values.end())) &&
         std::none_of(values.begin(), values.end(), [](float v) { return v != v; });
}

template <class T>
void softmax_row(const T* x, std::int64_t n, bool logarithm, T* y) {
  const std::vector<float> values = numbers_of(x, n);
  if (!are_numbers(values)) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    return void(std::fill_n(y, n, rounded_step<T>(nan)));
  }
  const softmax_model row(values);
  for (std::int64_t i = 0; i < n; ++i) {
    const float one = values[std::size_t(i)];
    y[i] = rounded_step<T>(logarithm ? row.logarithm<T>(one) : float(row.quotient(one)));
  }
}

}  // namespace onefold::test
