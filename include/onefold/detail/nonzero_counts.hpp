// SPDX-License-Identifier: Apache-2.0
// The accumulator of the counts: elements, nonzero elements, NaNs.
//
// -0 is zero. A NaN is nonzero, so it counts as true; if NaNs are omitted it is not counted.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/wide_digits.hpp"
#include "onefold/dtype.hpp"

namespace onefold::detail {

/// Counts elements. Order: any. Capacity: fewer than 2^63 elements.
class nonzero_counts {
 public:
  /// Adds one element.
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr void add(T x) {
    if constexpr (std::is_integral_v<T>) {
      note(1, x != T(0), 0);
    } else {
      const auto magnitude = to_bits(x) & ~float_format<T>::sign_bit;
      note(1, magnitude != 0, magnitude > float_format<T>::infinity);
    }
  }
  /// Adds counted elements; NaNs are among the nonzeros.
  ONEFOLD_HOST_DEVICE constexpr void note(std::int64_t count, std::int64_t nonzeros,
                                          std::int64_t nans) {
    count_ += count, nonzeros_ += nonzeros, nans_ += nans;
  }
  ONEFOLD_HOST_DEVICE constexpr void merge(const nonzero_counts& other) {
    note(other.count_, other.nonzeros_, other.nans_);
  }
  /// As wide_sum::subtract.
  constexpr bool subtract(const nonzero_counts& other) {
    note(-other.count_, -other.nonzeros_, -other.nans_);
    return true;
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count(bool omit_nans = false) const {
    return omit_nans ? count_ - nans_ : count_;
  }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t count_nonzero(bool omit_nans = false) const {
    return omit_nans ? nonzeros_ - nans_ : nonzeros_;
  }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const { return nans_; }
  /// Whether any element is nonzero; false without elements.
  ONEFOLD_HOST_DEVICE constexpr bool any(bool omit_nans = false) const {
    return count_nonzero(omit_nans) > 0;
  }
  /// Whether no element is zero; true without elements. Omitting NaNs changes nothing.
  ONEFOLD_HOST_DEVICE constexpr bool all() const { return nonzeros_ == count_; }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(count_), f(nonzeros_), f(nans_);
  }
  template <class F>
  ONEFOLD_HOST_DEVICE static constexpr nonzero_counts from_words(F&& next) {
    nonzero_counts counts;
    counts.count_ = next(), counts.nonzeros_ = next(), counts.nans_ = next();
    return counts;
  }
  static constexpr int words = 3;

  /// The additive form: onefold/detail/additive.hpp.
  static constexpr int additive_words = words;
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    to[0] = count_, to[1] = nonzeros_, to[2] = nans_;
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    count_ = from[0], nonzeros_ = from[1], nans_ = from[2];
  }
  ONEFOLD_HOST_DEVICE static constexpr void negate_additive(std::int64_t* sum) {
    negate_words(sum, additive_words);
  }

  /// Whether these words can be the serialized state of elements of that type.
  static constexpr bool plausible(const std::int64_t (&word)[words], dtype input) {
    const auto [count, nonzeros, nans] = word;
    return nans >= 0 && nans <= nonzeros && nonzeros <= count && (nans == 0 || is_floating(input));
  }

  friend constexpr bool operator==(const nonzero_counts&, const nonzero_counts&) = default;

 private:
  std::int64_t count_ = 0;
  std::int64_t nonzeros_ = 0;
  std::int64_t nans_ = 0;
};

}  // namespace onefold::detail
