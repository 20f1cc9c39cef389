// SPDX-License-Identifier: Apache-2.0
// What means, variances and deviations must be: ratios of GMP integers, never rounded.
#pragma once

#include <cstdint>
#include <vector>

#include "support/dot_oracle.hpp"

namespace onefold::test {

/// n elements with the sum `a` and the sum of squares `b`, in units of 2^unit and of its square.
struct exact_sums {
  std::int64_t n = 0;
  mpz_class a = 0, b = 0;
  int unit = 0;

  void add(const mpz_class& x) { ++n, a += x, b += x * x; }

  exact_answer mean(bool all_minus_zero = false) const {
    if (n == 0) return {exact_answer::kind::nan, false, {}};
    return {exact_answer::kind::number, a < 0 || all_minus_zero, {abs(a), long(n), unit}};
  }
  template <class Correction>
  exact_answer variance(Correction correction) const {
    const mpq_class c(correction);
    if (n == 0 || c >= long(n)) return {exact_answer::kind::nan, false, {}};
    const mpz_class count = long(n), left = count * c.get_den() - c.get_num();
    return {exact_answer::kind::number,
            false,
            {(count * b - a * a) * c.get_den(), count * left, 2 * unit}};
  }
  template <class Correction>
  exact_answer deviation(Correction correction) const {
    exact_answer answer = variance(correction);
    answer.power = 2;
    return answer;
  }
};

/// The same of floating elements, after IEEE 754's rules.
template <class T>
class moments_oracle {
 public:
  moments_oracle() { sums_.unit = ieee<T>::lsb; }

  void add(T x) {
    const auto magnitude = magnitude_bits(x);
    const bool minus = (as_bits(x) & ieee<T>::sign) != 0;
    minus_zeros_ += minus && magnitude == 0;
    if (magnitude > ieee<T>::infinity) nan_ = true;
    if (magnitude == ieee<T>::infinity) (minus ? minus_infinity_ : plus_infinity_) = true;
    const mpz_class units = in_units<T>(magnitude);
    sums_.add(minus ? mpz_class(-units) : units);
  }

  exact_answer mean() const {
    using kind = exact_answer::kind;
    if (nan_ || (plus_infinity_ && minus_infinity_)) return {kind::nan, false, {}};
    if (!finite()) return {kind::infinity, minus_infinity_, {}};
    return sums_.mean(minus_zeros_ == sums_.n);
  }
  template <class Correction>
  exact_answer variance(Correction correction) const {
    if (!finite()) return {exact_answer::kind::nan, false, {}};
    return sums_.variance(correction);
  }
  template <class Correction>
  exact_answer deviation(Correction correction) const {
    exact_answer answer = variance(correction);
    answer.power = 2;
    return answer;
  }

  bool finite() const { return !nan_ && !plus_infinity_ && !minus_infinity_; }
  const exact_sums& sums() const { return sums_; }

 private:
  exact_sums sums_;
  std::int64_t minus_zeros_ = 0;
  bool nan_ = false, plus_infinity_ = false, minus_infinity_ = false;
};

}  // namespace onefold::test
