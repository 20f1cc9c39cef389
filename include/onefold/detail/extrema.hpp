// SPDX-License-Identifier: Apache-2.0
// The accumulator of min, max, argmin, argmax and norminf.
//
// Elements are compared by a key, a signed 64-bit integer: floats by sign and magnitude bits, so
// that -0 and +0 share the key 0; u64 with its top bit flipped; other integers and bool unchanged.
// Positions use the keys: -0 and +0 are equal, and the first of them counts. Values use the keys
// and then the sign of zero: -0 is less than +0.
//
// No key serves as an identity: the counts say whether there is an extremum.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/dtype.hpp"

namespace onefold::detail {

/// The key of an element. Not for NaN.
template <class T>
ONEFOLD_HOST_DEVICE constexpr std::int64_t key_of(T x) {
  if constexpr (dtype_of<T> == dtype::u64) {
    return std::int64_t(x ^ std::uint64_t(1) << 63);
  } else if constexpr (std::is_integral_v<T>) {
    return std::int64_t(x);
  } else {
    using format = float_format<T>;
    const auto magnitude = std::int64_t(to_bits(x) & ~format::sign_bit);
    return (to_bits(x) & format::sign_bit) ? -magnitude : magnitude;
  }
}

template <class T>
ONEFOLD_HOST_DEVICE constexpr bool is_nan(T x) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return (to_bits(x) & ~float_format<T>::sign_bit) > float_format<T>::infinity;
}

/// A minimum or maximum: its key, and the first position of an element with it.
struct extreme {
  std::int64_t key = 0;
  std::int64_t index = -1;
  bool plus_zero = false;  ///< for a floating zero: it is +0

  /// The element, of type T.
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr T value() const {
    if constexpr (dtype_of<T> == dtype::u64) {
      return T(key) ^ T(1) << 63;
    } else if constexpr (std::is_integral_v<T>) {
      return T(key);
    } else {
      using bits = typename float_format<T>::bits;
      const bool minus = key < 0 || (key == 0 && !plus_zero);
      const auto magnitude = bits(key < 0 ? -key : key);
      return from_bits<T>(minus ? bits(magnitude | float_format<T>::sign_bit) : magnitude);
    }
  }

  friend constexpr bool operator==(const extreme&, const extreme&) = default;
};

/// The extrema of the elements. Order: any; equal pairs of element and index give equal
/// states. Capacity: fewer than 2^63 elements.
class extrema {
 public:
  using one = extreme;

  /// Adds one element and its logical index.
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr void add(T x, std::int64_t index) {
    if (is_nan(x)) return note_nans(1, index);
    const extreme only{key_of(x), index, is_plus_zero(x)};
    note_values(1, only, only);
  }

  /// Adds the elements of another state.
  ONEFOLD_HOST_DEVICE constexpr void merge(const extrema& other) {
    if (other.nans_ > 0) note_nans(other.nans_, other.first_nan_);
    if (!other.empty(true)) note_values(other.values(), other.least_, other.largest_);
  }

  /// Adds NaNs, the first of which is at `first`. Precondition: count > 0.
  ONEFOLD_HOST_DEVICE constexpr void note_nans(std::int64_t count, std::int64_t first) {
    if (nans_ == 0 || first < first_nan_) first_nan_ = first;
    nans_ += count;
    count_ += count;
  }
  /// Adds elements that are not NaN, by their extrema. Precondition: count > 0.
  ONEFOLD_HOST_DEVICE constexpr void note_values(std::int64_t count, const extreme& least,
                                                 const extreme& largest) {
    const bool first = empty(true);
    count_ += count;
    if (first) {
      least_ = least, largest_ = largest;
      return;
    }
    if (least.key < least_.key)
      least_ = least;
    else if (least.key == least_.key)
      least_ = {least_.key, smaller(least_.index, least.index),
                least_.plus_zero && least.plus_zero};
    if (largest.key > largest_.key)
      largest_ = largest;
    else if (largest.key == largest_.key)
      largest_ = {largest_.key, smaller(largest_.index, largest.index),
                  largest_.plus_zero || largest.plus_zero};
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return count_; }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const { return nans_; }

  /// Whether there is no answer: no element, or only NaNs that are omitted.
  ONEFOLD_HOST_DEVICE constexpr bool empty(bool omit_nans) const {
    return count_ == (omit_nans ? nans_ : 0);
  }

  /// The minimum. -0 is less than +0; the canonical NaN if there is a NaN that counts.
  /// Precondition, here and below: !empty(omit_nans), and T is the type of the elements.
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr T min(bool omit_nans) const {
    return value_of<T>(least_, omit_nans);
  }
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr T max(bool omit_nans) const {
    return value_of<T>(largest_, omit_nans);
  }
  /// The first index of the minimum, or of the first NaN that counts. -0 equals +0.
  ONEFOLD_HOST_DEVICE constexpr std::int64_t argmin(bool omit_nans) const {
    return nan_counts(omit_nans) ? first_nan_ : least_.index;
  }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t argmax(bool omit_nans) const {
    return nan_counts(omit_nans) ? first_nan_ : largest_.index;
  }

  /// The type of the largest magnitude: |-2^63| fits in no signed type.
  template <class T>
  using magnitude = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

  /// The largest magnitude, exact.
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr magnitude<T> norminf(bool omit_nans) const {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      const auto below = std::uint64_t(0) - std::uint64_t(least_.key);
      const auto above = std::uint64_t(largest_.key);
      if (largest_.key < 0) return below;
      return least_.key >= 0 || above > below ? above : below;
    } else if constexpr (std::is_integral_v<T>) {
      return std::uint64_t(largest_.value<T>());
    } else {
      if (nan_counts(omit_nans)) return from_bits<T>(float_format<T>::quiet_nan);
      const std::int64_t below = -least_.key;
      return extreme{below > largest_.key ? below : largest_.key, 0, true}.value<T>();
    }
  }

  ONEFOLD_HOST_DEVICE constexpr const extreme& least() const { return least_; }
  ONEFOLD_HOST_DEVICE constexpr const extreme& largest() const { return largest_; }

  /// The serialized state in a fixed order: calls f(int64) for each word.
  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(count_), f(nans_), f(first_nan_);
    f(least_.key), f(least_.index), f(largest_.key), f(largest_.index);
    f(std::int64_t(least_.plus_zero) | std::int64_t(largest_.plus_zero) << 1);
  }
  /// The inverse: next() returns the words in that order.
  template <class F>
  ONEFOLD_HOST_DEVICE static constexpr extrema from_words(F&& next) {
    extrema extrema;
    extrema.count_ = next(), extrema.nans_ = next(), extrema.first_nan_ = next();
    extrema.least_.key = next(), extrema.least_.index = next();
    extrema.largest_.key = next(), extrema.largest_.index = next();
    const std::int64_t zeros = next();
    extrema.least_.plus_zero = (zeros & 1) != 0, extrema.largest_.plus_zero = (zeros & 2) != 0;
    return extrema;
  }
  static constexpr int words = 8;

  /// Whether these words can be the serialized state of elements of that type.
  static constexpr bool plausible(const std::int64_t (&word)[words], dtype input);

  friend constexpr bool operator==(const extrema&, const extrema&) = default;

 private:
  template <class T>
  ONEFOLD_HOST_DEVICE static constexpr bool is_plus_zero(T x) {
    if constexpr (std::is_integral_v<T>)
      return false;
    else
      return to_bits(x) == 0;
  }
  ONEFOLD_HOST_DEVICE static constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t values() const { return count_ - nans_; }
  ONEFOLD_HOST_DEVICE constexpr bool nan_counts(bool omit_nans) const {
    return !omit_nans && nans_ > 0;
  }
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr T value_of(const extreme& which, bool omit_nans) const {
    if constexpr (!std::is_integral_v<T>)
      if (nan_counts(omit_nans)) return from_bits<T>(float_format<T>::quiet_nan);
    return which.value<T>();
  }

  std::int64_t count_ = 0;
  std::int64_t nans_ = 0;
  std::int64_t first_nan_ = -1;
  extreme least_, largest_;
};

/// The smallest and the largest key of non-NaN elements of a type.
struct key_limits {
  std::int64_t least, largest;
};
constexpr key_limits limits_of_keys(dtype type) {
  constexpr std::int64_t most = 0x7FFFFFFFFFFFFFFF;
  if (type == dtype::boolean) return {0, 1};
  return with_type(type, []<class T>(tag<T>) -> key_limits {
    if constexpr (!std::is_integral_v<T>)
      return {-std::int64_t(float_format<T>::infinity), std::int64_t(float_format<T>::infinity)};
    else if constexpr (sizeof(T) == 8)
      return {-most - 1, most};
    else if constexpr (std::is_signed_v<T>)
      return {-(std::int64_t(1) << (8 * sizeof(T) - 1)),
              (std::int64_t(1) << (8 * sizeof(T) - 1)) - 1};
    else
      return {0, (std::int64_t(1) << (8 * sizeof(T))) - 1};
  });
}

constexpr bool extrema::plausible(const std::int64_t (&word)[words], dtype input) {
  const auto [count, nans, first_nan, least, least_index, largest, largest_index, zeros] = word;
  if (count < 0 || nans < 0 || nans > count || (nans > 0 && !is_floating(input))) return false;
  if (nans == 0 ? first_nan != -1 : first_nan < 0) return false;
  if (count == nans)
    return least == 0 && least_index == -1 && largest == 0 && largest_index == -1 && zeros == 0;
  const key_limits limits = limits_of_keys(input);
  if (least < limits.least || largest > limits.largest || least > largest) return false;
  if (least_index < 0 || largest_index < 0) return false;
  // Elements with one key have one first position. (Merged states may use the same indices.)
  if (least == largest && least_index != largest_index) return false;
  if (zeros < 0 || zeros > 3 || (zeros != 0 && !is_floating(input))) return false;
  const bool low_plus = (zeros & 1) != 0, high_plus = (zeros & 2) != 0;
  if ((low_plus && least != 0) || (high_plus && largest != 0)) return false;
  if (least == 0 && largest == 0 && low_plus && !high_plus) return false;
  return !(count - nans == 1 && (least != largest || low_plus != high_plus));
}

}  // namespace onefold::detail
