// SPDX-License-Identifier: Apache-2.0
// Elements whose logarithms of exponentials are hard, or take every way through the kernels.
#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include "onefold/exact.hpp"
#include "support/elements.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {

using onefold::test::random_source;

/// A row each: about zero or far from it, near each other or not; logarithms of probabilities,
/// which add up to about 1; bands that meet, or are far apart; one element among -Inf; any bits,
/// with infinities and NaNs.
enum class exponential_family { usual, equal, probabilities, bands, large, single, special, any };
inline constexpr int exponential_families = 8;

template <class T>
T exponent_of(random_source& random, exponential_family family, double centre, double width) {
  using bits = typename detail::float_format<T>::bits;
  using enum exponential_family;
  using format = detail::float_format<T>;
  const auto number = [](double x) { return onefold::test::chopped<T>(x); };
  const auto infinity = [](bool negative) {
    return detail::from_bits<T>(bits(format::infinity | (negative ? format::sign_bit : 0)));
  };
  switch (family) {
  case equal:
    return number(centre);
  case bands:
    return number(256 * double(random.between(-3, 3)) + random.normal());
  case large:
    return number(std::ldexp(random.normal(), int(random.between(0, 120))));
  case single:
    return random.one_in(40) ? number(0x1p-12 * random.normal()) : infinity(true);
  case special:
    if (!random.one_in(20)) return number(centre + width * random.normal());
    if (random.one_in(3)) return detail::from_bits<T>(format::quiet_nan);
    return infinity(random.one_in(2));
  case any:
    return detail::from_bits<T>(bits(random()));
  default:
    return number(centre + width * random.normal());
  }
}

/// Rows of n elements, one after the other.
template <class T>
void fill_exponents(random_source& random, std::vector<std::byte>& to, std::int64_t n) {
  const auto rows = std::int64_t(to.size() / sizeof(T)) / n;
  const auto one = exponential_family(random.below(exponential_families));
  std::vector<T> x(std::size_t(rows * n));
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto family =
        random.one_in(3) ? exponential_family(random.below(exponential_families)) : one;
    const double centre = random.one_in(2) ? 0 : 200 * random.normal();
    const double width = random.one_in(2) ? 1 : 40;
    T* const at = x.data() + row * n;
    double all = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      at[i] = exponent_of<T>(random, family, centre, width);
      if (family == exponential_family::probabilities)
        at[i] = onefold::test::chopped<T>(random.normal());
      exact_sum<T> value;
      value.add(at[i]);
      all += std::exp(value.template value<double>());
    }
    if (family != exponential_family::probabilities) continue;
    for (std::int64_t i = 0; i < n; ++i) {
      exact_sum<T> value;
      value.add(at[i]);
      at[i] = onefold::test::chopped<T>(value.template value<double>() - std::log(all));
    }
  }
  std::memcpy(to.data(), x.data(), x.size() * sizeof(T));
}

inline void fill_exponents(random_source& random, dtype type, std::vector<std::byte>& to,
                           std::int64_t n) {
  with_type(type, [&]<class T>(detail::tag<T>) {
    if constexpr (!std::is_integral_v<T>) fill_exponents<T>(random, to, n);
  });
}

}  // namespace onefold::cuda::test
