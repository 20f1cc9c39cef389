// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax of a row by the definition of docs/numerics/softmax.md, one operation
// after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/rms_norm_model.hpp"

namespace onefold::test {

/// 2^26 exp(x - m).
template <class T>
float numerator_model(float x, float m) {
  const float apart = x - m, d = std::max(apart, -105.0f);
  const auto k = float(std::nearbyint(double(d) * 0x1.715476p+0));
  float r = std::fma(-k, 0x1.62e43p-1f, d), p = 0;
  if constexpr (sizeof(T) == 4) {
    // What the difference lost: exact, by the larger of the two.
    const float lost = std::fabs(x) >= std::fabs(m) ? -m - (d - x) : x - (d + m);
    if (apart > -105) r += lost;
    r = std::fma(k, 0x1.05c61p-29f, r);
    for (const float c : {0x1.6a241ap-10f, 0x1.1239f2p-7f, 0x1.5558f2p-5f, 0x1.555492p-3f,
                          0x1.fffffcp-2f, 1.0f, 1.0f})
      p = std::fma(r, p, c);
  } else {
    for (const float c : {0x1.5414b6p-5f, 0x1.57cef6p-3f, 0x1.0003f4p-1f, 0x1.fffba6p-1f, 1.0f})
      p = std::fma(r, p, c);
  }
  return std::ldexp(p, int(k) + 26);
}

/// log(total 2^-44).
inline double logarithm_model(double total) {
  int k = 0;
  double z = 2 * std::frexp(total, &k);
  k -= 1 + 44;
  if (z > 0x1.6a09e667f3bcdp+0) z /= 2, ++k;
  const double u = (z - 1) / (z + 1), v = u * u;
  double series = 0;
  for (const int power : {13, 11, 9, 7, 5, 3, 1}) series = 2.0 / power + v * series;
  return double(k) * 0x1.62e42fefa39efp-1 + u * series;
}

template <class T>
void softmax_row(const T* x, std::int64_t n, bool logarithm, T* y) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(step_value(x[i]));
  const float m = *std::max_element(values.begin(), values.end());
  const bool numbers = std::isfinite(m) &&
                       std::none_of(values.begin(), values.end(), [](float v) { return v != v; });
  if (!numbers) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    return void(std::fill_n(y, n, rounded_step<T>(nan)));
  }
  std::uint64_t sum = 0;  // enough for 2^19 elements
  for (const float one : values)
    sum += std::uint64_t(std::ldexp(double(numerator_model<T>(one, m)), 18));
  const auto total = double(sum);
  const auto step = float(logarithm ? logarithm_model(total) : 0x1p18 / total);
  for (std::int64_t i = 0; i < n; ++i) {
    const float one = values[std::size_t(i)];
    y[i] = rounded_step<T>(logarithm ? (one - m) - step : numerator_model<T>(one, m) * step);
  }
}

}  // namespace onefold::test
