// SPDX-License-Identifier: Apache-2.0
// The counts next to a sum of floats: elements, NaNs, infinities; and whether all others are -0.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/quotient.hpp"

namespace onefold::detail {

struct element_counts {
  std::int64_t elements = 0;
  std::int64_t nans = 0;
  std::int64_t positive_infinities = 0;
  std::int64_t negative_infinities = 0;
  bool only_negative_zeros = true;  ///< of the elements noted so far; see all_negative_zeros()

  /// Whether all elements that are not NaN are -0; vacuously true if all are NaN.
  ONEFOLD_HOST_DEVICE constexpr bool all_negative_zeros() const {
    return only_negative_zeros || elements == nans;
  }

  ONEFOLD_HOST_DEVICE constexpr void note_infinity(bool minus) {
    ++(minus ? negative_infinities : positive_infinities);
    only_negative_zeros = false;
  }

  ONEFOLD_HOST_DEVICE constexpr void merge(const element_counts& other) {
    only_negative_zeros = all_negative_zeros() && other.all_negative_zeros();
    elements += other.elements;
    nans += other.nans;
    positive_infinities += other.positive_infinities;
    negative_infinities += other.negative_infinities;
  }

  /// Removes elements that were counted before; returns whether these can have been. If -0 remains
  /// alone after other elements, only_negative_zeros stays false: the flag is an and, which cannot
  /// be undone.
  constexpr bool subtract(const element_counts& other) {
    if (all_negative_zeros() && !other.all_negative_zeros()) return false;
    only_negative_zeros = all_negative_zeros();
    elements -= other.elements;
    nans -= other.nans;
    positive_infinities -= other.positive_infinities;
    negative_infinities -= other.negative_infinities;
    return true;
  }

  ONEFOLD_HOST_DEVICE constexpr void leave_nans_out() {
    only_negative_zeros = all_negative_zeros();
    elements -= nans;
    nans = 0;
  }

  ONEFOLD_HOST_DEVICE constexpr bool finite() const {
    return nans == 0 && positive_infinities == 0 && negative_infinities == 0;
  }
  ONEFOLD_HOST_DEVICE constexpr bool sums_to_minus_zero() const {
    return elements > 0 && only_negative_zeros;
  }

  /// The sum if the elements are not all finite.
  ONEFOLD_HOST_DEVICE constexpr real_answer special_answer() const {
    if (nans > 0 || (positive_infinities > 0 && negative_infinities > 0)) return {};
    return {{}, real_answer::form::infinity, negative_infinities > 0};
  }

  static constexpr int words = 5;
  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(elements), f(nans), f(positive_infinities), f(negative_infinities);
    f(std::int64_t(all_negative_zeros()));
  }
  template <class F>
  ONEFOLD_HOST_DEVICE constexpr void read_words(F&& next) {
    elements = next(), nans = next();
    positive_infinities = next(), negative_infinities = next();
    only_negative_zeros = next() != 0;
  }

  /// The additive form: the flag is a count of states that have another term than -0.
  ONEFOLD_HOST_DEVICE constexpr void write_additive(std::int64_t* to) const {
    to[0] = elements, to[1] = nans, to[2] = positive_infinities, to[3] = negative_infinities;
    to[4] = std::int64_t(!all_negative_zeros());
  }
  ONEFOLD_HOST_DEVICE constexpr void read_additive(const std::int64_t* from) {
    elements = from[0], nans = from[1], positive_infinities = from[2];
    negative_infinities = from[3], only_negative_zeros = from[4] == 0;
  }
  static constexpr int negated_words = 4;  ///< by a subtraction, which keeps the count of states
};

}  // namespace onefold::detail
