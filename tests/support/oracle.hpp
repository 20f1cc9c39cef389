// SPDX-License-Identifier: Apache-2.0
// What an exact sum must be: a GMP integer, a rounding of it, and the words of its stored state.
//
// Two ways to the integer that share nothing: add_one_by_one shifts each significand into place;
// add gathers significands of one exponent first, which is fifty times as fast. Tests use the
// second and compare it with the first, and with mpfr_sum, on a share of their cases. Nothing of
// the library is used but the names of the element types.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <vector>

#include "support/ieee.hpp"

namespace onefold::test {

/// total * 2^exponent in format Out: to nearest, ties to even. A total of zero gives +0.
template <class Out>
bits_of<Out> rounded(const mpz_class& total, int exponent);

/// The same by MPFR. The sign of a zero is not specified.
template <class Out>
bits_of<Out> rounded_by_mpfr(const mpz_class& total, int exponent);

/// top / bottom * 2^exponent, and the square root of top * 2^exponent, by one operation of MPFR.
/// Precondition: top >= 0, bottom > 0. The sign of a zero is not specified.
template <class Out>
bits_of<Out> quotient_by_mpfr(const mpz_class& top, const mpz_class& bottom, int exponent);
template <class Out>
bits_of<Out> root_by_mpfr(const mpz_class& top, int exponent);

/// The digits of a wide integer as a state stores them: `limbs` of them, the last with the sign.
std::vector<std::int64_t> digits_of(const mpz_class& total, std::size_t limbs);

/// The sum of elements of type T, in units of T's smallest subnormal.
template <class T>
class oracle {
 public:
  void add(const T* x, std::int64_t n);
  void add_one_by_one(const T* x, std::int64_t n);

  /// The sum of the negated elements.
  oracle negated() const;

  /// The sum in format Out, as bits.
  template <class Out = T>
  bits_of<Out> value() const;

  /// The words of the stored state: digits, count, NaNs, +Inf, -Inf, "all but NaNs were -0".
  std::vector<std::int64_t> words() const;

  const mpz_class& total() const { return total_; }
  friend bool operator==(const oracle&, const oracle&) = default;

 private:
  bool note(bits_of<T> bits);

  mpz_class total_;
  std::int64_t count_ = 0, nans_ = 0, plus_infinities_ = 0, minus_infinities_ = 0;
  std::int64_t plus_zeros_ = 0, minus_zeros_ = 0;
};

/// The rounded sum by MPFR, for finite elements. The sign of a zero is not specified.
template <class T>
bits_of<T> sum_by_mpfr(const T* x, std::int64_t n);

/// The sum of integers, as words of their stored state: low, high, count.
std::vector<std::int64_t> integer_words(const mpz_class& total, std::int64_t count);

}  // namespace onefold::test
