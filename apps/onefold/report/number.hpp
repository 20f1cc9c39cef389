// SPDX-License-Identifier: Apache-2.0
// One answer in its type, and its text forms.
//
// The decimal form is the shortest that reads back to the same bits of the same type: 0.1 in f32
// prints 0.1. It does not depend on the locale.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "onefold/array_view.hpp"
#include "onefold/dtype.hpp"

namespace onefold::program {

class number {
 public:
  explicit number(dtype type) noexcept : type_(type) {}
  template <element T>
  static number from(T value) noexcept {
    number number(dtype_of<T>);
    std::memcpy(number.bytes_, &value, sizeof value);
    return number;
  }
  /// A decimal in all its digits ("-12.5"), with `nearest` as its f64; for "nan" and "inf" the f64.
  static number decimal(std::string digits, double nearest);

  /// All digits of a decimal; empty for other numbers.
  const std::string& digits() const noexcept { return digits_; }
  /// f64 for a decimal.
  dtype type() const noexcept { return type_; }
  output_view place() noexcept { return {bytes_, type_}; }
  /// Precondition: T is the type.
  template <element T>
  T as() const noexcept {
    T value;
    std::memcpy(&value, bytes_, sizeof value);
    return value;
  }

 private:
  alignas(8) std::byte bytes_[8] = {};
  dtype type_;
  std::string digits_;
};

/// The value of any floating number as a double, which holds all of them. Precondition: floating.
double widened(const number& value) noexcept;
/// Whether it is an integer, a decimal, or a float that is neither infinite nor NaN.
bool is_finite(const number& value) noexcept;

/// Fixed notation where 1e-5 <= |x| < 1e16 or x = 0, else scientific ("1e+308"); "nan", "inf",
/// "-inf"; a bool as 0 or 1. A decimal in all its digits, in fixed notation below 1e40.
std::string to_decimal(const number& value);
/// A floating number in C99's hexadecimal form ("0x1.8p+1"), for a decimal its nearest f64;
/// integers as to_decimal.
std::string to_hex(const number& value);

}  // namespace onefold::program
