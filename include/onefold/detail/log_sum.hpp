// SPDX-License-Identifier: Apache-2.0
// The accumulator of logsumexp, the logarithm of a sum of exponentials.
//
// sum of exp(x) = (high + low) exp(shift). The shift is the maximum of the first piece; it changes
// only if the maximum of a piece exceeds it by more than 32, so that rescaling is rare.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/scaled_pair.hpp"
#include "onefold/dtype.hpp"

namespace onefold::detail {

/// Order: states are appended in the order of their elements, and that order is part of the bits.
/// Capacity: fewer than 2^63 elements.
class log_sum {
 public:
  /// The state of a piece whose finite elements have the maximum `shift`, with sum exp(x - shift) =
  /// sum; 0, 0 if none is finite.
  static constexpr log_sum of_piece(std::int64_t count, std::int64_t nans, bool infinite,
                                    double shift, double sum) noexcept {
    log_sum state;
    state.count_ = count, state.nans_ = nans, state.infinite_ = infinite;
    state.shift_ = sum > 0 ? shift : 0, state.high_ = sum;
    return state;
  }

  /// Adds the elements that directly follow those of this state.
  void append(const log_sum& next) noexcept;
  void merge(const log_sum& next) noexcept { append(next); }

  std::int64_t count() const noexcept { return count_; }
  std::int64_t nan_count() const noexcept { return nans_; }

  /// The logarithm as a double-word number. Precondition: an element is finite and none is +Inf.
  /// Error: at most 2^-46 (elements of f64 and integers) or 2^-28 (f32, f16, bf16), absolute, and
  /// 2^-100 of the value; docs/numerics/logsumexp.md.
  scaled_pair logarithm() const noexcept;

  /// The logarithm in format T, rounded once. NaN if a NaN counts; +Inf if an element is +Inf;
  /// -Inf without elements or if all are -Inf.
  template <class T>
  T value(bool omit_nans = false) const noexcept {
    using format = float_format<T>;
    if (nans_ > 0 && !omit_nans) return from_bits<T>(format::quiet_nan);
    if (infinite_) return from_bits<T>(format::infinity);
    if (high_ == 0) return from_bits<T>(typename format::bits(format::infinity | format::sign_bit));
    return rounded<T>(logarithm());
  }

  template <class F>
  constexpr void for_each_word(F&& f) const {
    f(count_), f(nans_), f(std::int64_t(to_bits(shift_)));
    f(std::int64_t(to_bits(high_))), f(std::int64_t(to_bits(low_))), f(std::int64_t(infinite_));
  }
  template <class F>
  static constexpr log_sum from_words(F&& next) {
    log_sum sum;
    sum.count_ = next(), sum.nans_ = next();
    sum.shift_ = from_bits<double>(std::uint64_t(next()));
    sum.high_ = from_bits<double>(std::uint64_t(next()));
    sum.low_ = from_bits<double>(std::uint64_t(next()));
    sum.infinite_ = next() != 0;
    return sum;
  }
  static constexpr int words = 6;

  /// Whether these words can be the serialized state of elements of that type.
  static bool plausible(const std::int64_t (&word)[words], dtype input) noexcept;

  friend constexpr bool operator==(const log_sum& a, const log_sum& b) {
    return a.count_ == b.count_ && a.nans_ == b.nans_ && a.infinite_ == b.infinite_ &&
           to_bits(a.shift_) == to_bits(b.shift_) && to_bits(a.high_) == to_bits(b.high_) &&
           to_bits(a.low_) == to_bits(b.low_);
  }

 private:
  double shift_ = 0;
  double high_ = 0;
  double low_ = 0;
  std::int64_t count_ = 0;
  std::int64_t nans_ = 0;
  bool infinite_ = false;
};

}  // namespace onefold::detail
