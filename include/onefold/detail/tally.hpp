// SPDX-License-Identifier: Apache-2.0
// How many elements there are, and how many are not zero.
//
// -0 is a zero. A NaN is no zero, so it counts as true; left out, it counts as nothing.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/dtype.hpp"

namespace onefold::detail {

/// Counts of elements. Order: any. Capacity: fewer than 2^63 elements.
class tally {
 public:
  /// Takes in one element.
  template <class T>
  ONEFOLD_HOST_DEVICE constexpr void add(T x) {
    if constexpr (std::is_integral_v<T>) {
      note(1, x != T(0), 0);
    } else {
      const auto magnitude = to_bits(x) & ~float_format<T>::sign_bit;
      note(1, magnitude != 0, magnitude > float_format<T>::infinity);
    }
  }
  /// Takes in counted elements; NaNs are among the non-zeros.
  ONEFOLD_HOST_DEVICE constexpr void note(std::int64_t count, std::int64_t nonzeros,
                                          std::int64_t nans) {
    count_ += count, nonzeros_ += nonzeros, nans_ += nans;
  }
  ONEFOLD_HOST_DEVICE constexpr void merge(const tally& other) {
    note(other.count_, other.nonzeros_, other.nans_);
  }

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count(bool omit_nans = false) const {
    return omit_nans ? count_ - nans_ : count_;
  }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t count_nonzero(bool omit_nans = false) const {
    return omit_nans ? nonzeros_ - nans_ : nonzeros_;
  }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t nan_count() const { return nans_; }
  /// Whether any element is not zero; of nothing: no.
  ONEFOLD_HOST_DEVICE constexpr bool any(bool omit_nans = false) const {
    return count_nonzero(omit_nans) > 0;
  }
  /// Whether no element is zero; of nothing: yes. NaNs left out change nothing.
  ONEFOLD_HOST_DEVICE constexpr bool all() const { return nonzeros_ == count_; }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(count_), f(nonzeros_), f(nans_);
  }
  template <class F>
  ONEFOLD_HOST_DEVICE static constexpr tally from_words(F&& next) {
    tally made;
    made.count_ = next(), made.nonzeros_ = next(), made.nans_ = next();
    return made;
  }
  static constexpr int words = 3;

  /// Whether elements of that type could have left these words.
  static constexpr bool plausible(const std::int64_t (&word)[words], dtype input) {
    const auto [count, nonzeros, nans] = word;
    return nans >= 0 && nans <= nonzeros && nonzeros <= count && (nans == 0 || is_floating(input));
  }

  friend constexpr bool operator==(const tally&, const tally&) = default;

 private:
  std::int64_t count_ = 0;
  std::int64_t nonzeros_ = 0;
  std::int64_t nans_ = 0;
};

}  // namespace onefold::detail
