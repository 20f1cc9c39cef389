// SPDX-License-Identifier: Apache-2.0
// The exact sum of products of floats: dot products and sums of squares.
//
// A product of two elements is an integer in units of the square of the format's smallest
// subnormal: the product of two significands, shifted. No product is rounded, overflows or
// underflows.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/element_counts.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/integer_dot.hpp"
#include "onefold/detail/quotient.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold {

namespace detail {

/// The exact sum of products of elements of type T.
/// Capacity: fewer than 2^63 products.
template <class T, checks Checks = all_checks>
class wide_dot {
 public:
  using format = float_format<T>;
  static constexpr int limbs = format::product_limbs;
  /// Scratch memory of the rounding. The caller provides it where stack space is scarce.
  using storage = magnitude_digits<limbs>;
  static constexpr int lsb = 2 * format::lsb;  ///< of the unit

  /// Adds one product. Inf, NaN and Inf * 0 are counted, not summed.
  ONEFOLD_HOST_DEVICE constexpr void add(T x, T y) {
    const auto a = to_bits(x), b = to_bits(y);
    const bool minus = ((a ^ b) & format::sign_bit) != 0;
    ++counts_.elements;
    if (exponent_field<T>(a) == format::max_field || exponent_field<T>(b) == format::max_field)
      return note_special(a, b);
    const std::int64_t p = significand<T>(a), q = significand<T>(b);
    if (!minus || (p != 0 && q != 0)) counts_.only_negative_zeros = false;
    deposit_product(p, q, minus, unit_shift<T>(a) + unit_shift<T>(b));
  }

  /// Factors that T may not hold: convert them where the rounding is meant.
  template <class X, class Y>
  requires narrows_to<X, T> || narrows_to<Y, T>
  void add(X x, Y y) = delete;

  /// Adds k * 2^(2 lsb(T) + shift). Precondition: as wide_digits::deposit.
  ONEFOLD_HOST_DEVICE constexpr void deposit(std::int64_t k, int shift) {
    digits_.deposit(k, shift);
  }

  /// Adds the products of another sum.
  ONEFOLD_HOST_DEVICE constexpr void merge(const wide_dot& other) {
    digits_.merge(other.digits_);
    counts_.merge(other.counts_);
    invalid_ += other.invalid_;
  }

  /// As wide_sum::subtract, of products.
  constexpr bool subtract(const wide_dot& other) {
    digits_.subtract(other.digits_);
    invalid_ -= other.invalid_;
    return counts_.subtract(other.counts_);
  }

  /// The sum in format Out, correctly rounded. No products: +0; only products -0: -0.
  /// Any NaN, any Inf * 0, or infinite products of both signs give the canonical quiet NaN.
  template <class Out = T>
  ONEFOLD_HOST_DEVICE constexpr Out value() const {
    storage sum;
    return answer(false, sum).template rounded<Out, Checks>();
  }

  /// The square root of the sum, rounded once; for squares this is the 2-norm. NaN if the sum is
  /// negative; the root of -0 is -0.
  template <class Out = T>
  ONEFOLD_HOST_DEVICE constexpr Out root() const {
    storage sum;
    return answer(true, sum).template rounded<Out, Checks>();
  }

  /// The sum or its root before rounding.
  ONEFOLD_HOST_DEVICE constexpr real_answer answer(bool is_root, storage& sum) const {
    if (is_root && counts_.negative_infinities > 0) return {};
    if (!finite()) return invalid_ > 0 ? real_answer() : counts_.special_answer();
    digits_.write_magnitude(sum);
    if (is_root && sum.below_zero) return {};
    const int exponent = lsb + 32 * sum.first_limb;  // even
    const sticky_number magnitude =
        is_root ? root_of<Checks>(sum.view(), exponent) : sticky_of<Checks>(sum.view(), exponent);
    return {magnitude, real_answer::form::number, sum.below_zero || counts_.sums_to_minus_zero()};
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return counts_.elements; }
  /// The count of products with a NaN factor. Inf * 0 is not one: no element was a NaN.
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const { return counts_.nans; }

  /// The sum of the products without a NaN factor.
  ONEFOLD_HOST_DEVICE constexpr wide_dot without_nans() const {
    wide_dot left = *this;
    left.leave_nans_out();
    return left;
  }
  ONEFOLD_HOST_DEVICE constexpr void leave_nans_out() { counts_.leave_nans_out(); }

  ONEFOLD_HOST_DEVICE constexpr void carry() { digits_.carry(); }

  /// For the engines: counts products that were added elsewhere and arrive by deposit(), and
  /// whether all of them that are not NaN were -0.
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count, bool only_negative_zeros) {
    counts_.elements += count;
    counts_.only_negative_zeros = counts_.only_negative_zeros && only_negative_zeros;
  }
  ONEFOLD_HOST_DEVICE constexpr bool only_negative_zeros() const {
    return counts_.only_negative_zeros;
  }
  /// Counts a product with a factor Inf or NaN; note_elements has already counted the element.
  ONEFOLD_HOST_DEVICE constexpr void note_special(typename format::bits a,
                                                  typename format::bits b) {
    if (is_nan<T>(a) || is_nan<T>(b)) {
      ++counts_.nans;
    } else if (is_zero(a) || is_zero(b)) {
      ++invalid_;
      counts_.only_negative_zeros = false;
    } else {
      counts_.note_infinity(((a ^ b) & format::sign_bit) != 0);
    }
  }

  // For detail::moments.
  ONEFOLD_HOST_DEVICE constexpr bool finite() const { return counts_.finite() && invalid_ == 0; }
  ONEFOLD_HOST_DEVICE constexpr void write_magnitude(magnitude_digits<limbs>& digits) const {
    digits_.write_magnitude(digits);
  }

  /// The serialized state in a fixed order, limbs normalised: calls f(int64) for each word.
  template <class F>
  constexpr void for_each_word(F&& f) const {
    digits_.for_each_word(f);
    counts_.for_each_word(f);
    f(invalid_);
  }
  /// The inverse: next() returns the words in that order.
  template <class F>
  static constexpr wide_dot from_words(F&& next) {
    wide_dot sum;
    sum.read_words(next);
    return sum;
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    digits_.read_words(next);
    counts_.read_words(next);
    invalid_ = next();
  }
  static constexpr int words = limbs + element_counts::words + 1;

  /// The additive form: onefold/detail/additive.hpp.
  static constexpr int additive_words = words;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    digits_.write_additive(to);
    counts_.write_additive(to + limbs);
    to[words - 1] = invalid_;
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    digits_.read_additive(from);
    counts_.read_additive(from + limbs);
    invalid_ = from[words - 1];
  }
  ONEFOLD_HOST_DEVICE static constexpr void negate_additive(std::int64_t* sum) {
    negate_words(sum, limbs + element_counts::negated_words);
    negate_words(sum + words - 1, 1);
  }

  friend constexpr bool operator==(const wide_dot& a, const wide_dot& b) {
    return same_words(a, b);
  }

 private:
  ONEFOLD_HOST_DEVICE static constexpr bool is_zero(typename format::bits bits) {
    return typename format::bits(bits & ~format::sign_bit) == 0;
  }

  // Products of significands of up to 31 bits take one deposit, longer ones two.
  ONEFOLD_HOST_DEVICE constexpr void deposit_product(std::int64_t p, std::int64_t q, bool minus,
                                                     int shift) {
    if constexpr (2 * format::precision < 64) {
      digits_.deposit(minus ? -(p * q) : p * q, shift);
    } else {
      const wide_product product = multiply(std::uint64_t(p), std::uint64_t(q));
      const auto low = std::int64_t(product.low & INT64_MAX);
      const auto high = std::int64_t(product.high << 1 | product.low >> 63);
      digits_.deposit(minus ? -low : low, shift);
      digits_.deposit(minus ? -high : high, shift + 63);
    }
  }

  wide_digits<limbs, Checks> digits_;
  element_counts counts_;
  std::int64_t invalid_ = 0;  // products Inf * 0
};

}  // namespace detail

/// The exact sum of products of elements of type T: add(x, y), merge(other), value<Out>(),
/// root<Out>().
template <class T>
using exact_dot =
    typename detail::accumulator_of<T, detail::wide_dot<T>, detail::integer_dot>::type;

}  // namespace onefold
