// SPDX-License-Identifier: Apache-2.0
// The accumulator of products, with a separate exponent: no intermediate overflow or underflow.
//
// Floats: a double-word number and a 64-bit exponent for the finite nonzero elements, whose sign is
// that of all elements; flags for zeros, infinities and NaNs. Integers: the magnitude while it fits
// 64 bits, or the product modulo 2^64.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/scaled_pair.hpp"
#include "onefold/dtype.hpp"

namespace onefold::detail {

/// The representation of a product. Integers have two: exact, and modulo 2^64.
enum class product_form : unsigned char { nothing, floats, integers, wrapped };

/// Order: floats: states are appended in the order of their elements, and that order is part of
/// the bits; integers: any. Capacity: fewer than 2^51 elements.
class product {
 public:
  /// A product of floats: the pair carries the sign of the product of all elements except NaNs.
  static product of_floats(std::int64_t count, std::int64_t nans, bool zero, bool infinite,
                           const scaled_pair& pair) noexcept {
    product product;
    product.form_ = product_form::floats;
    product.count_ = count, product.nans_ = nans;
    product.zero_ = zero, product.infinite_ = infinite;
    product.pair_ = pair;
    return product;
  }
  /// A product of integers: the magnitude, or `beyond` if it is 2^64 or more.
  static constexpr product of_integers(std::int64_t count, std::uint64_t magnitude, bool negative,
                                       bool beyond) noexcept {
    product product;
    product.form_ = product_form::integers;
    product.count_ = count;
    product.zero_ = magnitude == 0 && !beyond;
    product.beyond_ = beyond;
    product.magnitude_ = beyond ? 0 : magnitude;
    product.negative_ = negative && product.magnitude_ != 0;
    return product;
  }
  /// A product of integers modulo 2^64.
  static constexpr product of_wrapped(std::int64_t count, std::uint64_t residue) noexcept {
    product product;
    product.form_ = product_form::wrapped;
    product.count_ = count;
    product.magnitude_ = residue;
    return product;
  }

  /// Adds the elements that directly follow those of this state. Precondition: the same form, or
  /// nothing.
  void append(const product& next) noexcept;
  void merge(const product& next) noexcept { append(next); }

  std::int64_t count() const noexcept { return count_; }
  std::int64_t nan_count() const noexcept { return nans_; }
  product_form form() const noexcept { return form_; }
  const scaled_pair& pair() const noexcept { return pair_; }

  /// The product of floats in format T. Error: a relative 2.02 n u^2 for n elements in whole
  /// pieces (u = 2^-53; docs/numerics/product.md has the exact bound), then one rounding, also
  /// below the normal numbers. Signs, zeros, infinities and NaN as in IEEE multiplication, in any
  /// order: a zero and an infinity give NaN. Without elements: 1.
  template <class T>
  T value(bool omit_nans = false) const noexcept {
    using format = float_format<T>;
    if ((nans_ > 0 && !omit_nans) || (zero_ && infinite_)) return from_bits<T>(format::quiet_nan);
    const auto sign = pair_.high < 0 ? format::sign_bit : typename format::bits(0);
    if (zero_) return from_bits<T>(sign);
    if (infinite_) return from_bits<T>(typename format::bits(sign | format::infinity));
    return rounded<T>(pair_);
  }

  /// Whether the product of integers is known and Out, an integer type, holds it.
  template <class Out>
  constexpr bool fits() const noexcept {
    if (form_ == product_form::wrapped) return true;
    const auto most = std::uint64_t(std::numeric_limits<Out>::max());
    const bool below_zero_too = std::is_signed_v<Out> && negative_;
    if (negative_ && !below_zero_too) return false;
    return !beyond_ && magnitude_ <= most + (below_zero_too ? 1 : 0);
  }
  /// The product of integers, its low bits if it does not fit. Without elements: 1.
  template <class Out>
  constexpr Out integer() const noexcept {
    return Out(negative_ ? std::uint64_t(0) - magnitude_ : magnitude_);
  }
  /// Whether the magnitude reaches 2^64.
  constexpr bool beyond() const noexcept { return beyond_; }
  constexpr bool negative() const noexcept { return negative_; }
  constexpr std::uint64_t magnitude() const noexcept { return magnitude_; }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(count_), f(nans_), f(pair_.exponent);
    f(std::int64_t(to_bits(pair_.high))), f(std::int64_t(to_bits(pair_.low)));
    f(std::int64_t(magnitude_));
    f(std::int64_t(zero_) | std::int64_t(infinite_) << 1 | std::int64_t(negative_) << 2 |
      std::int64_t(beyond_) << 3 | std::int64_t(form_) << 4);
  }
  template <class F>
  static constexpr product from_words(F&& next) {
    product product;
    product.count_ = next(), product.nans_ = next(), product.pair_.exponent = next();
    product.pair_.high = from_bits<double>(std::uint64_t(next()));
    product.pair_.low = from_bits<double>(std::uint64_t(next()));
    product.magnitude_ = std::uint64_t(next());
    const std::int64_t notes = next();
    product.zero_ = (notes & 1) != 0, product.infinite_ = (notes & 2) != 0;
    product.negative_ = (notes & 4) != 0, product.beyond_ = (notes & 8) != 0;
    product.form_ = product_form(notes >> 4 & 3);
    return product;
  }
  static constexpr int words = 7;

  /// Whether these words can be the serialized state of elements of that type.
  static bool plausible(const std::int64_t (&word)[words], dtype input) noexcept;

  friend constexpr bool operator==(const product& a, const product& b) {
    std::int64_t x[words]{}, y[words]{};
    int n = 0, m = 0;
    a.for_each_word([&](std::int64_t word) { x[n++] = word; });
    b.for_each_word([&](std::int64_t word) { y[m++] = word; });
    for (int i = 0; i < words; ++i)
      if (x[i] != y[i]) return false;
    return true;
  }

 private:
  scaled_pair pair_;
  std::int64_t count_ = 0;
  std::int64_t nans_ = 0;
  std::uint64_t magnitude_ = 1;
  product_form form_ = product_form::nothing;
  bool zero_ = false;
  bool infinite_ = false;
  bool negative_ = false;
  bool beyond_ = false;
};

}  // namespace onefold::detail
