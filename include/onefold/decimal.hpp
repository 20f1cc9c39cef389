// SPDX-License-Identifier: Apache-2.0
// The exact sum of decimal numbers, as text holds them: 0.1 and 0.2 sum to 0.3.
//
// A decimal is an integer times a power of ten. Numbers of up to 19 digits add into one 128-bit
// integer for each scale; the rest (long digit strings, exponents beyond +-400) adds into one big
// integer in digits of base 10^9. Nothing is converted to binary before the one rounding at the
// end, and that rounding is integer arithmetic: no locale, no rounding mode and no flush-to-zero
// setting of the caller can change a bit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "onefold/detail/config.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Limits of one number, so that hostile input stays bounded in memory and time: the widest
/// sum that they allow takes 4 MB.
inline constexpr int max_decimal_exponent = 100000;
inline constexpr int max_decimal_digits = 1 << 20;

/// A sum in progress. A state that was moved from may only be assigned to or destroyed.
class ONEFOLD_API decimal_sum {
 public:
  decimal_sum();
  decimal_sum(const decimal_sum& other);
  decimal_sum(decimal_sum&&) noexcept;
  decimal_sum& operator=(decimal_sum other) noexcept;
  ~decimal_sum();

  /// Adds mantissa * 10^-scale, written with a point or an exponent unless the scale is 0.
  /// Precondition: |scale| <= max_decimal_exponent; fewer than 2^63 numbers in all.
  void add(std::int64_t mantissa, int scale);

  /// Adds `count` numbers of one scale whose mantissas are already summed, none of them "-0".
  /// Precondition: as add(), and |total| <= count * 2^63.
  void add_total(std::int64_t total, int scale, std::int64_t count);

  /// Adds one number: [+-] digits [. digits] [e [+-] digits], where one of the digits around the
  /// point may be left out ("5.", ".5"); or inf, infinity, nan, signed or not, in any case.
  /// Fails: malformed (anything else), unsupported (an exponent beyond +-100000, or more than
  /// 2^20 digits), out_of_memory; the sum is then as it was.
  status add(std::string_view number);

  /// Adds the other sum. Order: none, any tree of merges gives equal results.
  void merge(const decimal_sum& other);

  /// The numbers added, NaN and infinities included.
  std::int64_t count() const noexcept;
  /// Those of them that were NaN.
  std::int64_t nan_count() const noexcept;
  /// Forgets the NaNs so far, as if they had not been added.
  void omit_nans() noexcept;
  /// Whether every number so far was written without a point or an exponent.
  bool all_integers() const noexcept;

  /// The sum, rounded once to binary64, ties to even. Nothing sums to +0; only negative zeros
  /// ("-0") sum to -0. NaN, or infinities of both signs: the canonical NaN.
  double value() const;
  /// The sum rounded once to binary32, never by way of binary64.
  float value_f32() const;
  /// The sum divided by the count, rounded once; the canonical NaN for nothing.
  double mean() const;
  /// The same rounded once to binary32.
  float mean_f32() const;
  /// The sum as an integer. Fails: unsupported (not all integers), overflow,
  /// out_of_memory.
  result<std::int64_t> value_i64() const;
  /// The sum in full: every decimal digit it has, no zero behind the last ("0.3", "-0", "inf").
  std::string to_string() const;
  /// The sum divided by the count in the same form; none where its digits do not end, and for
  /// nothing.
  std::optional<std::string> mean_to_string() const;

 private:
  struct parts;
  template <class T>
  T quotient(std::int64_t divisor) const;
  std::optional<std::string> word() const;

  std::unique_ptr<parts> parts_;
};

}  // namespace onefold
