// SPDX-License-Identifier: Apache-2.0
// A wide integer in 64-bit limbs of 32 bits each: the superaccumulator of exact sums and products.
//
//   integer = limb[0] + limb[1] 2^32 + limb[2] 2^64 …
//
// A deposit changes three limbs, each by less than 2^32, so 2^31 deposits need no carry.
//
// Source: the superaccumulator of U. Kulisch; limbs as in R. Neal, arXiv 1505.05571.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/round.hpp"

namespace onefold::detail {

/// Propagates every carry: limbs in [0, 2^32), the last one signed. The value is unchanged.
template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr void carry_digits(std::int64_t* digits, int size) {
  if (!Checks.carry) return;
  for (int i = 0; i + 1 < size; ++i) {
    digits[i + 1] += digits[i] >> 32;
    digits[i] &= 0xFFFFFFFF;
  }
}

template <checks Checks>
ONEFOLD_HOST_DEVICE constexpr void negate_digits(std::int64_t* digits, int size) {
  if (!Checks.sign_magnitude) return;
  for (int i = 0; i < size; ++i) digits[i] = -digits[i];
  carry_digits<Checks>(digits, size);
}

/// |integer| in limbs from about the first nonzero one: few limbs are in use.
template <int Limbs>
struct magnitude_digits {
  std::int64_t digits[std::size_t(Limbs + 1)];
  int size;
  int first_limb;
  bool below_zero;

  ONEFOLD_HOST_DEVICE constexpr digits_view view() const { return {digits, size}; }
};

template <int Limbs, checks Checks = all_checks>
class wide_digits {
 public:
  static constexpr int limbs = Limbs;

  /// Adds k * 2^shift. Invariant: each limb changes by less than 2^32.
  /// Precondition: 0 <= shift, and the three limbs at shift are within the integer.
  ONEFOLD_HOST_DEVICE constexpr void deposit(std::int64_t k, int shift) {
    const int i = shift >> 5, bit = shift & 31;
    const std::uint64_t low = std::uint64_t(k) << bit;
    limbs_[i] += std::int64_t(low & 0xFFFFFFFFu);
    limbs_[i + 1] += std::int64_t(low >> 32);
    limbs_[i + 2] += (k >> 1) >> (63 - bit);
    if (++deposits_ == max_deposits) carry();
  }

  ONEFOLD_HOST_DEVICE constexpr void merge(const wide_digits& other) {
    carry();
    wide_digits part = other;
    part.carry();
    for (int i = 0; i < Limbs; ++i) limbs_[i] += part.limbs_[i];
    deposits_ = 1;
  }

  constexpr void subtract(const wide_digits& other) {
    carry();
    wide_digits part = other;
    part.carry();
    for (int i = 0; i < Limbs; ++i) limbs_[i] -= part.limbs_[i];
    carry();
  }

  /// Equal integers have equal limbs afterwards.
  ONEFOLD_HOST_DEVICE constexpr void carry() {
    carry_digits<Checks>(limbs_, Limbs);
    deposits_ = 0;
  }

  ONEFOLD_HOST_DEVICE constexpr bool is_zero() const {
    wide_digits carried = *this;
    carried.carry();
    for (int i = 0; i < Limbs; ++i)
      if (carried.limbs_[i] != 0) return false;
    return true;
  }

  // By reference: a constant expression may not copy uninitialised limbs.
  ONEFOLD_HOST_DEVICE constexpr void write_magnitude(magnitude_digits<Limbs>& digits) const {
    int low = 0, high = Limbs - 1;
    while (high >= 4 && none_of_four(high - 3)) high -= 4;
    while (low + 4 <= high && none_of_four(low)) low += 4;
    digits.first_limb = low;
    digits.size = high - low + 2;  // the carry out of `high` is below 2^32 in magnitude
    for (int i = low; i <= high; ++i) digits.digits[i - low] = limbs_[i];
    digits.digits[digits.size - 1] = 0;
    carry_digits<Checks>(digits.digits, digits.size);
    digits.below_zero = digits.digits[digits.size - 1] < 0;
    if (digits.below_zero) negate_digits<Checks>(digits.digits, digits.size);
  }

  /// f(limb) for each limb, lowest first, carried.
  template <class F>
  constexpr void for_each_word(F&& f) const {
    wide_digits carried = *this;
    carried.carry();
    for (int i = 0; i < Limbs; ++i) f(carried.limbs_[i]);
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    for (int i = 0; i < Limbs; ++i) limbs_[i] = next();
    deposits_ = 0;
  }

  /// The additive form (onefold/detail/additive.hpp): the limbs, carried.
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* words) const {
    for (int i = 0; i < Limbs; ++i) words[i] = limbs_[i];
    carry_digits<Checks>(words, Limbs);
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* words) {
    for (int i = 0; i < Limbs; ++i) limbs_[i] = words[i];
    carry();
  }

 private:
  // Half of what the limbs' 31 spare bits allow, so that a merge needs no further check.
  static constexpr std::int32_t max_deposits = std::int32_t(1) << 30;

  ONEFOLD_HOST_DEVICE constexpr bool none_of_four(int first) const {
    return (limbs_[first] | limbs_[first + 1] | limbs_[first + 2] | limbs_[first + 3]) == 0;
  }

  std::int64_t limbs_[std::size_t(Limbs)] = {};
  std::int32_t deposits_ = 0;
};

/// Negates words that are added.
ONEFOLD_HOST_DEVICE constexpr void negate_words(std::int64_t* words, int size) {
  for (int i = 0; i < size; ++i) words[i] = -words[i];
}

/// The 128-bit product of two 64-bit integers; also any 128-bit integer.
struct wide_product {
  std::uint64_t low, high;
};

ONEFOLD_HOST_DEVICE constexpr wide_product multiply(std::uint64_t x, std::uint64_t y) {
  const std::uint64_t x0 = x & 0xFFFFFFFF, x1 = x >> 32, y0 = y & 0xFFFFFFFF, y1 = y >> 32;
  const std::uint64_t low = x0 * y0;
  const std::uint64_t middle = x1 * y0 + (low >> 32);  // below 2^64: (2^32 - 1)^2 + 2^32 - 1
  const std::uint64_t cross = x0 * y1 + (middle & 0xFFFFFFFF);
  return {cross << 32 | (low & 0xFFFFFFFF), x1 * y1 + (middle >> 32) + (cross >> 32)};
}

/// A magnitude of format Out with its sign.
template <class Out>
ONEFOLD_HOST_DEVICE constexpr Out with_sign(typename float_format<Out>::bits magnitude,
                                            bool minus) {
  using format = float_format<Out>;
  return from_bits<Out>(typename format::bits(minus ? magnitude | format::sign_bit : magnitude));
}

template <class Out>
ONEFOLD_HOST_DEVICE constexpr Out canonical_nan() {
  return from_bits<Out>(float_format<Out>::quiet_nan);
}

/// Whether the serialized words of two states are equal.
template <class State>
constexpr bool same_words(const State& a, const State& b) {
  std::int64_t x[State::words]{}, y[State::words]{};
  int n = 0, m = 0;
  a.for_each_word([&](std::int64_t word) { x[n++] = word; });
  b.for_each_word([&](std::int64_t word) { y[m++] = word; });
  for (int i = 0; i < State::words; ++i)
    if (x[i] != y[i]) return false;
  return true;
}

}  // namespace onefold::detail
