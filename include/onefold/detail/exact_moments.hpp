// SPDX-License-Identifier: Apache-2.0
// The exact sums of elements and of their squares: mean, variance, standard deviation.
//
// With the sum A, the sum of squares B and n elements, the variance is (n B - A^2) / (n (n - c)).
// The numerator is an exact integer, zero only if all elements are equal. There is no cancellation
// error: no shift, no second pass and no intermediate rounded mean is needed.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "onefold/detail/centred_squares.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/detail/exact_dot.hpp"
#include "onefold/detail/exact_sum.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/integer_dot.hpp"
#include "onefold/detail/integer_sum.hpp"
#include "onefold/detail/quotient.hpp"
#include "onefold/detail/real_divisor.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold {

namespace detail {

template <class T, checks Checks>
struct moment_sums {
  using sum = wide_sum<T, Checks>;
  using squares = wide_dot<T, Checks>;
};
template <checks Checks>
struct moment_sums<std::int64_t, Checks> {
  using sum = integer_sum;
  using squares = integer_dot;
};

/// The exact sums of elements of type T (std::int64_t: integers of any width) and of their
/// squares. Answers in format Out are correctly rounded.
/// Capacity: fewer than 2^63 elements.
template <class T, checks Checks = all_checks>
class moments {
 public:
  static constexpr bool integral = std::is_integral_v<T>;
  using sum_type = typename moment_sums<T, Checks>::sum;
  using squares_type = typename moment_sums<T, Checks>::squares;
  using answer = std::conditional_t<integral, double, T>;
  using numerator = centred_squares<sum_type::limbs, squares_type::limbs>;
  /// Scratch memory of the rounding. The caller provides it where stack space is scarce.
  struct storage {
    typename sum_type::storage sum;
    typename squares_type::storage squares;
    numerator top;
  };

  /// Adds one element, of a type that the sum takes.
  template <class X>
  requires requires(sum_type sum, X x) { sum.add(x); }
  ONEFOLD_HOST_DEVICE constexpr void add(X x) {
    sum_.add(x);
    squares_.add(x, x);
  }

  ONEFOLD_HOST_DEVICE constexpr void merge(const moments& other) {
    sum_.merge(other.sum_);
    squares_.merge(other.squares_);
  }

  /// As wide_sum::subtract.
  constexpr bool subtract(const moments& other) {
    const bool possible = sum_.subtract(other.sum_);
    return squares_.subtract(other.squares_) && possible;
  }

  /// The mean, as the sum's mean().
  template <class Out = answer>
  ONEFOLD_HOST_DEVICE constexpr Out mean() const {
    return sum_.template mean<Out>();
  }

  /// The sum of squared distances from the mean, divided by count - correction, rounded once.
  /// NaN if an element is Inf or NaN, if count <= correction, or without elements; +0 if all are
  /// equal.
  template <class Out = answer>
  ONEFOLD_HOST_DEVICE constexpr Out variance(std::int64_t correction = 0) const {
    storage in;
    return spread(false, correction, in).template rounded<Out, Checks>();
  }
  /// The same on the host, of a finite correction that need not be an integer.
  template <class Out = answer, std::floating_point Real>
  constexpr Out variance(Real correction) const {
    storage in;
    return spread(false, double(correction), in).template rounded<Out, Checks>();
  }

  /// The square root of the variance, rounded once.
  template <class Out = answer>
  ONEFOLD_HOST_DEVICE constexpr Out deviation(std::int64_t correction = 0) const {
    storage in;
    return spread(true, correction, in).template rounded<Out, Checks>();
  }
  template <class Out = answer, std::floating_point Real>
  constexpr Out deviation(Real correction) const {
    storage in;
    return spread(true, double(correction), in).template rounded<Out, Checks>();
  }

  /// The variance or its root before rounding.
  template <std::integral Integer>
  ONEFOLD_HOST_DEVICE constexpr real_answer spread(bool is_root, Integer correction,
                                                   storage& in) const {
    if (!finite() || count() == 0 || count() <= correction) return {};
    write_numerator(in);
    const auto n = std::uint64_t(count());
    const wide_product d = multiply(n, n - std::uint64_t(correction));
    const std::int64_t bottom[4] = {std::int64_t(d.low & 0xFFFFFFFF), std::int64_t(d.low >> 32),
                                    std::int64_t(d.high & 0xFFFFFFFF), std::int64_t(d.high >> 32)};
    const int exponent = squares_type::lsb + 32 * in.top.first_limb;  // even
    const digits_view top = in.top.view();
    return {is_root ? root_of_quotient<Checks>(top, exponent, {bottom, 4})
                    : quotient<Checks>(top, exponent, {bottom, 4}),
            real_answer::form::number, false};
  }
  /// The same on the host, of a finite correction.
  constexpr real_answer spread(bool is_root, double correction, storage& in) const {
    if (is_whole(correction)) return spread(is_root, std::int64_t(correction), in);
    if (!finite() || count() == 0 || double(count()) <= correction) return {};
    write_numerator(in);
    const digits_view top = in.top.view();
    if (top.width() == 0) return {{}, real_answer::form::number, false};
    const real_divisor bottom(count(), correction);
    const int exponent = squares_type::lsb + 32 * in.top.first_limb - bottom.exponent;  // even
    constexpr int limbs = numerator::capacity;
    return {is_root ? sticky_root<Checks>(divide_by_wide<110, true, limbs>(top, bottom), exponent)
                    : sticky_quotient(divide_by_wide<56, false, limbs>(top, bottom), exponent),
            real_answer::form::number, false};
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return sum_.count(); }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const requires(!integral) {
    return sum_.nan_count();
  }

  /// The moments of the elements that are not NaN.
  ONEFOLD_HOST_DEVICE constexpr moments without_nans() const requires(!integral) {
    moments left = *this;
    left.leave_nans_out();
    return left;
  }
  ONEFOLD_HOST_DEVICE constexpr void leave_nans_out() requires(!integral) {
    sum_.leave_nans_out();
    squares_.leave_nans_out();
  }

  /// For the engines. Both sums must have the same elements; note_elements updates both.
  ONEFOLD_HOST_DEVICE constexpr sum_type& sum() { return sum_; }
  ONEFOLD_HOST_DEVICE constexpr const sum_type& sum() const { return sum_; }
  ONEFOLD_HOST_DEVICE constexpr squares_type& squares() { return squares_; }
  ONEFOLD_HOST_DEVICE constexpr const squares_type& squares() const { return squares_; }

  /// Counts elements that were added elsewhere and arrive by deposits to both sums, and whether all
  /// of them that are not NaN were -0.
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count,
                                                   bool only_negative_zeros) requires(!integral) {
    sum_.note_elements(count, only_negative_zeros);
    squares_.note_elements(count, count == 0);
  }
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count) requires integral {
    sum_.note_elements(count);
    squares_.note_elements(count);
  }

  /// Counts the Inf or NaN with these bits in both sums; note_elements has already counted the
  /// element.
  template <class Bits>
  ONEFOLD_HOST_DEVICE constexpr void note_special(Bits bits) requires(!integral) {
    sum_.note_special(bits);
    squares_.note_special(bits, bits);
  }

  /// Whether the two sums can be of the same elements: n B >= A^2.
  ONEFOLD_HOST_DEVICE constexpr bool consistent() const {
    storage in;
    write_numerator(in);
    return !in.top.below_zero;
  }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    sum_.for_each_word(f);
    squares_.for_each_word(f);
  }
  template <class F>
  static constexpr moments from_words(F&& next) {
    moments both;
    both.read_words(next);
    return both;
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    sum_.read_words(next);
    squares_.read_words(next);
  }
  static constexpr int words = sum_type::words + squares_type::words;

  /// The additive form: onefold/detail/additive.hpp.
  static constexpr int additive_words = sum_type::additive_words + squares_type::additive_words;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    sum_.write_additive(to);
    squares_.write_additive(to + sum_type::additive_words);
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    sum_.read_additive(from);
    squares_.read_additive(from + sum_type::additive_words);
  }
  ONEFOLD_HOST_DEVICE static constexpr void negate_additive(std::int64_t* sum) {
    sum_type::negate_additive(sum);
    squares_type::negate_additive(sum + sum_type::additive_words);
  }

  friend constexpr bool operator==(const moments&, const moments&) = default;

 private:
  ONEFOLD_HOST_DEVICE constexpr bool finite() const {
    if constexpr (integral)
      return true;
    else
      return sum_.finite() && squares_.finite();
  }

  ONEFOLD_HOST_DEVICE constexpr void write_numerator(storage& magnitudes) const {
    sum_.write_magnitude(magnitudes.sum);
    squares_.write_magnitude(magnitudes.squares);
    magnitudes.top.write(count(), magnitudes.sum, magnitudes.squares);
  }

  sum_type sum_;
  squares_type squares_;
};

}  // namespace detail

/// The exact moments of elements of type T: add(x), merge(other), mean<Out>(),
/// variance<Out>(correction), deviation<Out>(correction).
template <class T>
using exact_moments =
    typename detail::accumulator_of<T, detail::moments<T>, detail::moments<std::int64_t>>::type;

}  // namespace onefold
