// SPDX-License-Identifier: Apache-2.0
// The exact sum of products of integers, in 192 bits.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/integer_sum.hpp"
#include "onefold/detail/quotient.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold::detail {

/// The exact sum of products of integers of up to 64 bits, of any signedness, in 192 bits.
/// Capacity: fewer than 2^63 products.
class integer_dot {
 public:
  static constexpr int limbs = 6;  ///< of 32 bits
  using storage = magnitude_digits<limbs>;
  static constexpr int lsb = 0;

  template <class A, class B>
  requires integer_element<A> && integer_element<B> ONEFOLD_HOST_DEVICE constexpr void add(A x,
                                                                                           B y) {
    ++count_;
    const bool minus = (x < A(0)) != (y < B(0));
    const wide_product product = multiply(absolute(x), absolute(y));
    if (minus)
      deposit_words(~product.low + 1, ~product.high + (product.low == 0),
                    -std::int64_t((product.low | product.high) != 0));
    else
      deposit_words(product.low, product.high, 0);
  }

  /// Adds high * 2^64 + low.
  ONEFOLD_HOST_DEVICE constexpr void deposit(std::uint64_t low, std::int64_t high) {
    deposit_words(low, std::uint64_t(high), high < 0 ? -1 : 0);
  }

  ONEFOLD_HOST_DEVICE constexpr void merge(const integer_dot& other) {
    deposit_words(other.low_, other.middle_, other.high_);
    count_ += other.count_;
  }

  /// As wide_sum::subtract, of products.
  constexpr bool subtract(const integer_dot& other) {
    // -x = ~x + 1
    deposit_words(~other.low_, ~other.middle_, ~other.high_);
    deposit_words(1, 0, 0);
    count_ -= other.count_;
    return true;
  }

  /// Whether Out, an integer type, can hold the sum.
  template <class Out>
  ONEFOLD_HOST_DEVICE constexpr bool fits() const {
    const auto narrow = Out(low_);
    const std::int64_t above = std::is_signed_v<Out> && std::int64_t(narrow) < 0 ? -1 : 0;
    return std::uint64_t(narrow) == low_ && middle_ == std::uint64_t(above) && high_ == above;
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

  /// The square root of the sum in a floating type, rounded once; NaN if the sum is negative.
  template <class Out = double>
  ONEFOLD_HOST_DEVICE constexpr Out root() const {
    storage sum;
    return answer(true, sum).template rounded<Out>();
  }

  /// The sum or its root before rounding.
  ONEFOLD_HOST_DEVICE constexpr real_answer answer(bool is_root, storage& sum) const {
    write_magnitude(sum);
    if (is_root && sum.below_zero) return {};
    return {is_root ? root_of<all_checks>(sum.view(), 0) : sticky_of<all_checks>(sum.view(), 0),
            real_answer::form::number, sum.below_zero};
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return count_; }
  ONEFOLD_HOST_DEVICE constexpr void note_elements(std::int64_t count) { count_ += count; }

  ONEFOLD_HOST_DEVICE constexpr void write_magnitude(magnitude_digits<limbs>& digits) const {
    write_magnitude_of<3>({low_, middle_, std::uint64_t(high_)}, digits);
  }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(std::int64_t(low_)), f(std::int64_t(middle_)), f(high_), f(count_);
  }
  template <class F>
  static constexpr integer_dot from_words(F&& next) {
    integer_dot sum;
    sum.read_words(next);
    return sum;
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    low_ = std::uint64_t(next()), middle_ = std::uint64_t(next());
    high_ = next(), count_ = next();
  }
  static constexpr int words = 4;

  /// The additive form, which no transport can wrap: onefold/detail/additive.hpp.
  static constexpr int additive_words = limbs + 1;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    write_limbs_of<3>({low_, middle_, std::uint64_t(high_)}, to);
    to[limbs] = count_;
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    std::uint64_t sum[3];
    read_limbs_of<3>(from, sum);
    low_ = sum[0], middle_ = sum[1], high_ = std::int64_t(sum[2]);
    count_ = from[limbs];
  }
  ONEFOLD_HOST_DEVICE static constexpr void negate_additive(std::int64_t* sum) {
    negate_words(sum, additive_words);
  }

  friend constexpr bool operator==(const integer_dot&, const integer_dot&) = default;

 private:
  template <class A>
  ONEFOLD_HOST_DEVICE static constexpr std::uint64_t absolute(A x) {
    return x < A(0) ? ~std::uint64_t(x) + 1 : std::uint64_t(x);
  }

  ONEFOLD_HOST_DEVICE constexpr void deposit_words(std::uint64_t low, std::uint64_t middle,
                                                   std::int64_t high) {
    low_ += low;
    const std::uint64_t carry = low_ < low;
    middle_ += middle;
    const std::int64_t over = middle_ < middle;
    middle_ += carry;
    high_ += high + over + std::int64_t(middle_ < carry);
  }

  std::uint64_t low_ = 0, middle_ = 0;
  std::int64_t high_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace onefold::detail
