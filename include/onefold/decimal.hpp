// SPDX-License-Identifier: Apache-2.0
// The exact sum of decimal numbers in text form: 0.1 and 0.2 sum to 0.3.
//
// A decimal is an integer times a power of ten. Numbers of up to 19 digits are added to one 128-bit
// integer for each scale; the rest (long digit strings, exponents beyond +-400) is added to one big
// integer in base 10^9. Nothing is converted to binary before the single rounding at the end, and
// that rounding is integer arithmetic: the caller's locale, rounding mode and flush-to-zero setting
// cannot change a bit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "onefold/detail/config.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Limits of one number, which bound memory and time for hostile input: the widest sum within them
/// takes 4 MB.
inline constexpr int max_decimal_exponent = 100000;
inline constexpr int max_decimal_digits = 1 << 20;

/// A decimal accumulator. A moved-from object may only be assigned to or destroyed.
class ONEFOLD_API decimal_sum {
 public:
  decimal_sum();
  decimal_sum(const decimal_sum& other);
  decimal_sum(decimal_sum&&) noexcept;
  decimal_sum& operator=(decimal_sum other) noexcept;
  ~decimal_sum();

  /// Adds mantissa * 10^-scale. The number counts as written with a point or an exponent unless the
  /// scale is 0.
  /// Precondition: |scale| <= max_decimal_exponent; fewer than 2^63 numbers in all.
  void add(std::int64_t mantissa, int scale);

  /// Adds `count` numbers of one scale whose mantissas are already summed. None of them is "-0".
  /// Precondition: as add(), and |total| <= count * 2^63.
  void add_total(std::int64_t total, int scale, std::int64_t count);

  /// Adds one number: [+-] digits [. digits] [e [+-] digits], where the digits on one side of the
  /// point may be missing ("5.", ".5"); or inf, infinity, nan, signed or not, in any case.
  /// Fails: malformed (anything else), unsupported (an exponent beyond +-100000, or more than
  /// 2^20 digits), out_of_memory; the sum is then unchanged.
  status add(std::string_view number);

  /// Adds the other sum. Order: any tree of merges gives equal results.
  void merge(const decimal_sum& other);

  /// The count of numbers added, NaN and infinities included.
  std::int64_t count() const noexcept;
  /// The count of NaNs among them.
  std::int64_t nan_count() const noexcept;
  /// Removes the NaNs added so far, as if they had not been added.
  void omit_nans() noexcept;
  /// Whether every number so far was written without a point or an exponent.
  bool all_integers() const noexcept;

  /// The sum, rounded once to binary64, ties to even. An empty sum is +0; a sum of nothing but
  /// negative zeros ("-0") is -0. NaN, or infinities of both signs: the canonical NaN.
  double value() const;
  /// The sum rounded once to binary32, without an intermediate binary64.
  float value_f32() const;
  /// The sum divided by the count, rounded once; the canonical NaN if the count is 0.
  double mean() const;
  /// The same rounded once to binary32.
  float mean_f32() const;
  /// The sum as an integer. Fails: unsupported (not all integers), overflow,
  /// out_of_memory.
  result<std::int64_t> value_i64() const;
  /// The sum in full: all its decimal digits, without trailing zeros ("0.3", "-0", "inf").
  std::string to_string() const;
  /// The sum divided by the count in the same form; none if its expansion does not end, or if the
  /// count is 0.
  std::optional<std::string> mean_to_string() const;

 private:
  struct parts;
  template <class T>
  T quotient(std::int64_t divisor) const;
  std::optional<std::string> word() const;

  std::unique_ptr<parts> parts_;
};

}  // namespace onefold
