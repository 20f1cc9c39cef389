// SPDX-License-Identifier: Apache-2.0
// The exact sum of floats: a wide integer in units of the format's smallest subnormal.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/element_counts.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/quotient.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold::detail {

/// The exact sum of elements of type T: the superaccumulator.
/// Capacity: fewer than 2^63 elements.
template <class T, checks Checks = all_checks>
class wide_sum {
 public:
  using format = float_format<T>;
  static constexpr int limbs = format::limbs;
  /// Scratch memory of the rounding. The caller provides it where stack space is scarce.
  using storage = magnitude_digits<limbs>;

  /// Adds one element. Inf and NaN are counted, not summed.
  ONEFOLD_HOST_DEVICE constexpr void add(T x) {
    const auto bits = to_bits(x);
    ++counts_.elements;
    if (exponent_field<T>(bits) == format::max_field) return note_special(bits);
    if (bits != format::sign_bit) counts_.only_negative_zeros = false;
    const std::int64_t magnitude = significand<T>(bits);
    digits_.deposit((bits & format::sign_bit) ? -magnitude : magnitude, unit_shift<T>(bits));
  }

  /// An argument that T may not hold: convert it where the rounding is meant.
  template <narrows_to<T> X>
  void add(X x) = delete;

  /// Adds k * 2^(lsb + shift). Precondition: as wide_digits::deposit.
  ONEFOLD_HOST_DEVICE constexpr void deposit(std::int64_t k, int shift) {
    digits_.deposit(k, shift);
  }

  /// Adds the elements of another sum.
  ONEFOLD_HOST_DEVICE constexpr void merge(const wide_sum& other) {
    digits_.merge(other.digits_);
    counts_.merge(other.counts_);
  }

  /// Removes elements that were added before. Returns false if there are no such elements; the sum
  /// is then undefined. What is left can still be a sum of no elements.
  constexpr bool subtract(const wide_sum& other) {
    digits_.subtract(other.digits_);
    return counts_.subtract(other.counts_);
  }

  /// The sum in format Out, correctly rounded. No elements: +0; only negative zeros: -0.
  /// +Inf and -Inf, or any NaN, give the canonical quiet NaN.
  template <class Out = T>
  ONEFOLD_HOST_DEVICE constexpr Out value() const {
    storage sum;
    return answer(false, sum).template rounded<Out, Checks>();
  }

  /// The sum divided by the number of elements, rounded once. NaN without elements; the signs of
  /// zeros, Inf and NaN are those of the sum.
  template <class Out = T>
  ONEFOLD_HOST_DEVICE constexpr Out mean() const {
    storage sum;
    return answer(true, sum).template rounded<Out, Checks>();
  }

  /// The sum or the mean before rounding.
  ONEFOLD_HOST_DEVICE constexpr real_answer answer(bool is_mean, storage& sum) const {
    if (is_mean && counts_.elements == 0) return {};
    if (!counts_.finite()) return counts_.special_answer();
    digits_.write_magnitude(sum);
    const int lsb = format::lsb + 32 * sum.first_limb;
    const sticky_number magnitude = is_mean ? mean_of<Checks>(sum.view(), lsb, counts_.elements)
                                            : sticky_of<Checks>(sum.view(), lsb);
    return {magnitude, real_answer::form::number, sum.below_zero || counts_.sums_to_minus_zero()};
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return counts_.elements; }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const { return counts_.nans; }

  /// The sum of the elements that are not NaN.
  ONEFOLD_HOST_DEVICE constexpr wide_sum without_nans() const {
    wide_sum left = *this;
    left.leave_nans_out();
    return left;
  }
  ONEFOLD_HOST_DEVICE constexpr void leave_nans_out() { counts_.leave_nans_out(); }

  /// Propagates every carry: the value is unchanged, and equal sums have equal limbs.
  ONEFOLD_HOST_DEVICE constexpr void carry() { digits_.carry(); }

  /// For the engines: counts elements that were added elsewhere and arrive by deposit(), and
  /// whether all of them that are not NaN were -0.
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count, bool only_negative_zeros) {
    counts_.elements += count;
    counts_.only_negative_zeros = counts_.only_negative_zeros && only_negative_zeros;
  }
  ONEFOLD_HOST_DEVICE constexpr bool only_negative_zeros() const {
    return counts_.only_negative_zeros;
  }
  ONEFOLD_HOST_DEVICE constexpr void note_special(typename format::bits bits) {
    if (is_nan<T>(bits))
      ++counts_.nans;
    else
      counts_.note_infinity((bits & format::sign_bit) != 0);
  }

  // For detail::moments.
  ONEFOLD_HOST_DEVICE constexpr bool finite() const { return counts_.finite(); }
  ONEFOLD_HOST_DEVICE constexpr void write_magnitude(magnitude_digits<limbs>& digits) const {
    digits_.write_magnitude(digits);
  }

  /// The serialized state in a fixed order, limbs normalised: calls f(int64) for each word.
  template <class F>
  constexpr void for_each_word(F&& f) const {
    digits_.for_each_word(f);
    counts_.for_each_word(f);
  }
  /// The inverse: next() returns the words in that order.
  template <class F>
  static constexpr wide_sum from_words(F&& next) {
    wide_sum sum;
    sum.read_words(next);
    return sum;
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    digits_.read_words(next);
    counts_.read_words(next);
  }
  static constexpr int words = limbs + element_counts::words;

  /// The additive form: onefold/detail/additive.hpp.
  static constexpr int additive_words = words;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    digits_.write_additive(to);
    counts_.write_additive(to + limbs);
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    digits_.read_additive(from);
    counts_.read_additive(from + limbs);
  }
  ONEFOLD_HOST_DEVICE static constexpr void negate_additive(std::int64_t* sum) {
    negate_words(sum, limbs + element_counts::negated_words);
  }

  friend constexpr bool operator==(const wide_sum& a, const wide_sum& b) {
    return same_words(a, b);
  }

 private:
  wide_digits<limbs, Checks> digits_;
  element_counts counts_;
};

}  // namespace onefold::detail
