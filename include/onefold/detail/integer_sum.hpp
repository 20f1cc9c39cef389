// SPDX-License-Identifier: Apache-2.0
// The exact sum of integers, in 128 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/quotient.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold::detail {

/// |integer| from 64-bit words, lowest first, the last one signed, in 32-bit limbs.
template <int Words>
ONEFOLD_HOST_DEVICE constexpr void
write_magnitude_of(const std::uint64_t (&words)[std::size_t(Words)],
                   magnitude_digits<2 * Words>& digits) {
  digits.below_zero = (words[Words - 1] >> 63) != 0;
  std::uint64_t carry = digits.below_zero;
  for (int i = 0; i < Words; ++i) {
    const std::uint64_t word = (digits.below_zero ? ~words[i] : words[i]) + carry;
    carry = carry != 0 && word == 0;
    digits.digits[2 * i] = std::int64_t(word & 0xFFFFFFFF);
    digits.digits[2 * i + 1] = std::int64_t(word >> 32);
  }
  digits.first_limb = 0;
  digits.size = 2 * Words;
}

/// The 64-bit words of an integer in 32-bit limbs, the last one signed.
template <int Words>
ONEFOLD_HOST_DEVICE constexpr void write_limbs_of(const std::uint64_t (&words)[std::size_t(Words)],
                                                  std::int64_t* limbs) {
  for (int i = 0; i < Words; ++i) {
    limbs[2 * i] = std::int64_t(words[i] & 0xFFFFFFFF);
    limbs[2 * i + 1] = std::int64_t(words[i] >> 32);
  }
  limbs[2 * Words - 1] = std::int64_t(words[Words - 1]) >> 32;
}

/// The inverse; the limbs need not be carried. The value is taken modulo 2^(64 Words).
template <int Words>
ONEFOLD_HOST_DEVICE constexpr void read_limbs_of(const std::int64_t* limbs,
                                                 std::uint64_t (&words)[std::size_t(Words)]) {
  std::int64_t carried[std::size_t(2 * Words)];
  for (int i = 0; i < 2 * Words; ++i) carried[i] = limbs[i];
  carry_digits<all_checks>(carried, 2 * Words);
  for (int i = 0; i < Words; ++i)
    words[i] = std::uint64_t(carried[2 * i]) | std::uint64_t(carried[2 * i + 1]) << 32;
}

/// The exact sum of integers, in 128 bits. Capacity: fewer than 2^63 elements of up to 64 bits.
class integer_sum {
 public:
  static constexpr int limbs = 4;  ///< of 32 bits
  using storage = magnitude_digits<limbs>;

  template <class T>
  requires integer_element<T> ONEFOLD_HOST_DEVICE constexpr void add(T x) {
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

  /// As wide_sum::subtract.
  constexpr bool subtract(const integer_sum& other) {
    high_ -= other.high_ + std::int64_t(low_ < other.low_);
    low_ -= other.low_;
    count_ -= other.count_;
    return true;
  }

  /// Whether Out, an integer type, can hold the sum.
  template <class Out>
  ONEFOLD_HOST_DEVICE constexpr bool fits() const {
    const auto narrow = Out(low_);
    const std::int64_t above = std::is_signed_v<Out> && std::int64_t(narrow) < 0 ? -1 : 0;
    return std::uint64_t(narrow) == low_ && high_ == above;
  }

  /// The sum: in an integer type its low bits (see fits), in a floating type correctly rounded.
  template <class Out = std::int64_t>
  ONEFOLD_HOST_DEVICE constexpr Out value() const {
    if constexpr (std::is_integral_v<Out>) {
      return Out(low_);
    } else {
      storage sum;
      return answer(false, sum).template rounded<Out>();
    }
  }

  /// The sum divided by the number of elements, in a floating type, rounded once; NaN without
  /// elements.
  template <class Out = double>
  ONEFOLD_HOST_DEVICE constexpr Out mean() const {
    storage sum;
    return answer(true, sum).template rounded<Out>();
  }

  /// The sum or the mean before rounding.
  ONEFOLD_HOST_DEVICE constexpr real_answer answer(bool is_mean, storage& sum) const {
    if (is_mean && count_ == 0) return {};
    write_magnitude(sum);
    return {is_mean ? mean_of<all_checks>(sum.view(), 0, count_)
                    : sticky_of<all_checks>(sum.view(), 0),
            real_answer::form::number, sum.below_zero};
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return count_; }
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count) { count_ += count; }

  ONEFOLD_HOST_DEVICE constexpr void write_magnitude(magnitude_digits<limbs>& digits) const {
    write_magnitude_of<2>({low_, std::uint64_t(high_)}, digits);
  }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(std::int64_t(low_)), f(high_), f(count_);
  }
  template <class F>
  static constexpr integer_sum from_words(F&& next) {
    integer_sum sum;
    sum.read_words(next);
    return sum;
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    low_ = std::uint64_t(next()), high_ = next(), count_ = next();
  }
  static constexpr int words = 3;

  /// The additive form, which no transport can wrap: onefold/detail/additive.hpp.
  static constexpr int additive_words = limbs + 1;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    write_limbs_of<2>({low_, std::uint64_t(high_)}, to);
    to[limbs] = count_;
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    std::uint64_t sum[2];
    read_limbs_of<2>(from, sum);
    low_ = sum[0], high_ = std::int64_t(sum[1]);
    count_ = from[limbs];
  }
  ONEFOLD_HOST_DEVICE static constexpr void negate_additive(std::int64_t* sum) {
    negate_words(sum, additive_words);
  }

  friend constexpr bool operator==(const integer_sum&, const integer_sum&) = default;

 private:
  std::uint64_t low_ = 0;
  std::int64_t high_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace onefold::detail
