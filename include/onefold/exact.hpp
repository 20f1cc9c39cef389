// SPDX-License-Identifier: Apache-2.0
// The exact sum for a user's own loop, kernel, OpenMP reduction or MPI operator.
//
//   onefold::exact_sum<double> s;
//   for (double x : xs) s.add(x);
//   double answer = s.value();          the true sum, rounded once
//
// A floating sum is an integer in units of the format's smallest subnormal, kept in 32-bit digits
// inside 64-bit limbs: sum = limb[0] + limb[1] 2^32 + limb[2] 2^64 …. An element touches three
// limbs and changes none by 2^32 or more, so 2^31 additions need no carry. Integers are added in
// any order to the same integer: that is why no order, split or machine can change a bit.
//
// Only integer arithmetic on bit patterns: -ffast-math, flush-to-zero and the rounding mode of the
// caller do not matter. The types are trivially copyable and merge by value. What this header does
// not do is hurry: about 2-4 ns an element. The engines' cascade is onefold::sum.
//
// Source: the superaccumulator of U. Kulisch; digits and limbs as in R. Neal, arXiv 1505.05571.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/dtype.hpp"

namespace onefold {

namespace detail {

/// The exact sum of floating elements of type T: the wide state.
/// Capacity: fewer than 2^63 elements.
template <class T, checks Checks = all_checks>
class wide_sum {
 public:
  using format = float_format<T>;
  static constexpr int limbs = format::limbs;

  /// Takes in one element. Inf and NaN are counted, never added.
  ONEFOLD_HOST_DEVICE constexpr void add(T x) {
    const auto bits = to_bits(x);
    const int field = int((bits & format::infinity) >> format::fraction_bits);
    ++count_;
    if (bits != format::sign_bit) only_negative_zeros_ = false;
    if (field == format::max_field) return note_special(bits);
    const auto fraction = std::int64_t(bits & (format::hidden_bit - 1));
    const std::int64_t magnitude =
        field == 0 ? fraction : fraction + std::int64_t(format::hidden_bit);
    deposit((bits & format::sign_bit) ? -magnitude : magnitude, field == 0 ? 0 : field - 1);
  }

  /// Adds k * 2^(lsb + shift). Invariant: each limb changes by less than 2^32.
  /// Precondition: 0 <= shift, and the three digits at shift lie inside the limbs.
  ONEFOLD_HOST_DEVICE constexpr void deposit(std::int64_t k, int shift) {
    const int i = shift >> 5, bit = shift & 31;
    const std::uint64_t low = std::uint64_t(k) << bit;
    limbs_[i] += std::int64_t(low & 0xFFFFFFFFu);
    limbs_[i + 1] += std::int64_t(low >> 32);
    limbs_[i + 2] += (k >> 1) >> (63 - bit);
    if (++deposits_ == max_deposits) carry();
  }

  /// Takes in the elements of another sum.
  ONEFOLD_HOST_DEVICE constexpr void merge(const wide_sum& other) {
    carry();
    wide_sum part = other;
    part.carry();
    for (int i = 0; i < limbs; ++i) limbs_[i] += part.limbs_[i];
    deposits_ = 1;
    count_ += part.count_;
    nans_ += part.nans_;
    positive_infinities_ += part.positive_infinities_;
    negative_infinities_ += part.negative_infinities_;
    only_negative_zeros_ = only_negative_zeros_ && part.only_negative_zeros_;
  }

  /// The sum in format Out, correctly rounded. Nothing sums to +0, only negative zeros to -0.
  /// +Inf and -Inf, or any NaN, give the canonical quiet NaN.
  template <class Out = T>
  ONEFOLD_HOST_DEVICE constexpr Out value() const {
    using out = float_format<Out>;
    if (nans_ > 0 || (positive_infinities_ > 0 && negative_infinities_ > 0))
      return from_bits<Out>(out::quiet_nan);
    if (positive_infinities_ > 0) return from_bits<Out>(out::infinity);
    if (negative_infinities_ > 0) return from_bits<Out>(negative<Out>(out::infinity));
    magnitude_digits magnitude;
    write_magnitude(magnitude);
    const auto rounded = round_magnitude<Out, Checks>({magnitude.digits, magnitude.size},
                                                      format::lsb + 32 * magnitude.first_limb);
    const bool minus = magnitude.below_zero || (count_ > 0 && only_negative_zeros_);
    return from_bits<Out>(minus ? negative<Out>(rounded) : rounded);
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return count_; }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const { return nans_; }

  /// Moves every carry up: digits in [0, 2^32), the top limb signed. The sum stays the same, and
  /// equal sums have equal limbs.
  ONEFOLD_HOST_DEVICE constexpr void carry() {
    carry_digits(limbs_, limbs);
    deposits_ = 0;
  }

  /// The engines' side door: elements that were added elsewhere and arrive by deposit().
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count, bool only_negative_zeros) {
    count_ += count;
    only_negative_zeros_ = only_negative_zeros_ && only_negative_zeros;
  }
  ONEFOLD_HOST_DEVICE constexpr bool only_negative_zeros() const { return only_negative_zeros_; }
  ONEFOLD_HOST_DEVICE constexpr void note_special(typename format::bits bits) {
    if (bits == format::infinity)
      ++positive_infinities_;
    else if (bits == (format::infinity | format::sign_bit))
      ++negative_infinities_;
    else
      ++nans_;
  }

  /// All that the sum is, in a fixed order, digits normalised: f(int64) for each word.
  template <class F>
  constexpr void for_each_word(F&& f) const {
    wide_sum sum = *this;
    sum.carry();
    for (int i = 0; i < limbs; ++i) f(sum.limbs_[i]);
    f(sum.count_), f(sum.nans_), f(sum.positive_infinities_), f(sum.negative_infinities_);
    f(std::int64_t(sum.only_negative_zeros_));
  }
  /// The inverse: next() gives the words in that order.
  template <class F>
  static constexpr wide_sum from_words(F&& next) {
    wide_sum sum;
    for (int i = 0; i < limbs; ++i) sum.limbs_[i] = next();
    sum.count_ = next(), sum.nans_ = next();
    sum.positive_infinities_ = next(), sum.negative_infinities_ = next();
    sum.only_negative_zeros_ = next() != 0;
    return sum;
  }
  static constexpr int words = limbs + 5;

  friend constexpr bool operator==(const wide_sum& a, const wide_sum& b) {
    std::int64_t x[words]{}, y[words]{};
    int n = 0, m = 0;
    a.for_each_word([&](std::int64_t word) { x[n++] = word; });
    b.for_each_word([&](std::int64_t word) { y[m++] = word; });
    for (int i = 0; i < words; ++i)
      if (x[i] != y[i]) return false;
    return true;
  }

 private:
  // Half of what the limbs' 31 spare bits allow, so that a merge needs no thought.
  static constexpr std::int32_t max_deposits = std::int32_t(1) << 30;

  template <class Out>
  ONEFOLD_HOST_DEVICE static constexpr typename float_format<Out>::bits
  negative(typename float_format<Out>::bits bits) {
    return typename float_format<Out>::bits(bits | float_format<Out>::sign_bit);
  }

  // |sum| as digits from about the first limb that is not zero: few limbs are in use.
  struct magnitude_digits {
    std::int64_t digits[limbs + 1];
    int size;
    int first_limb;
    bool below_zero;
  };

  ONEFOLD_HOST_DEVICE constexpr bool none_of_four(int first) const {
    return (limbs_[first] | limbs_[first + 1] | limbs_[first + 2] | limbs_[first + 3]) == 0;
  }

  // By reference: a constant expression may not copy digits that were never written.
  ONEFOLD_HOST_DEVICE constexpr void write_magnitude(magnitude_digits& to) const {
    int low = 0, high = limbs - 1;
    while (high >= 4 && none_of_four(high - 3)) high -= 4;
    while (low + 4 <= high && none_of_four(low)) low += 4;
    to.first_limb = low;
    to.size = high - low + 2;  // the carry out of `high` is below 2^32 in magnitude
    for (int i = low; i <= high; ++i) to.digits[i - low] = limbs_[i];
    to.digits[to.size - 1] = 0;
    carry_digits(to.digits, to.size);
    to.below_zero = to.digits[to.size - 1] < 0;
    if (to.below_zero) negate_digits(to.digits, to.size);
  }

  ONEFOLD_HOST_DEVICE static constexpr void carry_digits(std::int64_t* digits, int size) {
    if (!Checks.carry) return;
    for (int i = 0; i + 1 < size; ++i) {
      digits[i + 1] += digits[i] >> 32;
      digits[i] &= 0xFFFFFFFF;
    }
  }

  ONEFOLD_HOST_DEVICE static constexpr void negate_digits(std::int64_t* digits, int size) {
    if (!Checks.sign_magnitude) return;
    for (int i = 0; i < size; ++i) digits[i] = -digits[i];
    carry_digits(digits, size);
  }

  std::int64_t limbs_[limbs] = {};
  std::int64_t count_ = 0;
  std::int64_t nans_ = 0;
  std::int64_t positive_infinities_ = 0;
  std::int64_t negative_infinities_ = 0;
  std::int32_t deposits_ = 0;
  bool only_negative_zeros_ = true;
};

/// The exact sum of integers, in 128 bits. Capacity: fewer than 2^63 elements of up to 64 bits.
class integer_sum {
 public:
  template <class T>
  requires std::is_integral_v<T> ONEFOLD_HOST_DEVICE constexpr void add(T x) {
    ++count_;
    deposit(std::uint64_t(x), x < T(0) ? -1 : 0);
  }

  /// Adds high * 2^64 + low.
  ONEFOLD_HOST_DEVICE constexpr void deposit(std::uint64_t low, std::int64_t high) {
    low_ += low;
    high_ += high + (low_ < low);
  }

  ONEFOLD_HOST_DEVICE constexpr void merge(const integer_sum& other) {
    deposit(other.low_, other.high_);
    count_ += other.count_;
  }

  /// Whether Out, an integer type, can hold the sum.
  template <class Out>
  ONEFOLD_HOST_DEVICE constexpr bool fits() const {
    const auto narrow = Out(low_);
    return std::uint64_t(narrow) == low_ && high_ == (narrow < Out(0) ? -1 : 0);
  }

  /// The sum: in an integer type its low bits (see fits), in a floating type correctly rounded.
  template <class Out = std::int64_t>
  ONEFOLD_HOST_DEVICE constexpr Out value() const {
    if constexpr (std::is_integral_v<Out>)
      return Out(low_);
    else
      return rounded<Out>();
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return count_; }
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count) { count_ += count; }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(std::int64_t(low_)), f(high_), f(count_);
  }
  template <class F>
  static constexpr integer_sum from_words(F&& next) {
    integer_sum sum;
    sum.low_ = std::uint64_t(next()), sum.high_ = next(), sum.count_ = next();
    return sum;
  }
  static constexpr int words = 3;

  friend constexpr bool operator==(const integer_sum&, const integer_sum&) = default;

 private:
  template <class Out>
  ONEFOLD_HOST_DEVICE constexpr Out rounded() const {
    const bool below_zero = high_ < 0;
    const std::uint64_t low = below_zero ? ~low_ + 1 : low_;
    const std::uint64_t high =
        below_zero ? ~std::uint64_t(high_) + (low == 0) : std::uint64_t(high_);
    const std::int64_t digits[4] = {std::int64_t(low & 0xFFFFFFFF), std::int64_t(low >> 32),
                                    std::int64_t(high & 0xFFFFFFFF), std::int64_t(high >> 32)};
    const auto bits = round_magnitude<Out>({digits, 4}, 0);
    using format = float_format<Out>;
    return from_bits<Out>(typename format::bits(below_zero ? bits | format::sign_bit : bits));
  }

  std::uint64_t low_ = 0;
  std::int64_t high_ = 0;
  std::int64_t count_ = 0;
};

template <class T>
struct exact_sum_of {
  using type = std::conditional_t<std::is_integral_v<T>, integer_sum, wide_sum<T>>;
  static_assert(std::is_integral_v<T> || requires { float_format<T>::precision; });
};

}  // namespace detail

/// The exact sum of elements of type T: add(x), merge(other), value<Out>().
template <class T>
using exact_sum = typename detail::exact_sum_of<T>::type;

}  // namespace onefold
