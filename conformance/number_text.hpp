// SPDX-License-Identifier: Apache-2.0
// Elements from text and back, by their bits: no locale, no rounding, no half-precision hardware.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "onefold/detail/float_format.hpp"
#include "onefold/dtype.hpp"

namespace onefold::conformance {

/// The bits of a double that is a number of the format of T.
template <class T>
typename detail::float_format<T>::bits exact_bits(double x) {
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  const bits sign = std::signbit(x) ? format::sign_bit : bits(0);
  if (std::isnan(x)) return format::quiet_nan;
  if (std::isinf(x)) return bits(sign | format::infinity);
  if (x == 0) return sign;
  const int exponent = std::max(std::ilogb(x), 1 - format::max_exponent);
  const auto significand = bits(std::ldexp(std::fabs(x), format::fraction_bits - exponent));
  // The hidden bit of a normal number carries into the exponent field, which starts one lower.
  const auto field = bits(exponent + format::max_exponent - 1);
  return bits(sign | (bits(field << format::fraction_bits) + significand));
}

/// The double that is the number of these bits.
template <class T>
double widened(T x) {
  using format = detail::float_format<T>;
  const auto word = std::uint64_t(detail::to_bits(x));
  const int field = int((word >> format::fraction_bits) & unsigned(format::max_field));
  const auto fraction = word & (std::uint64_t(format::hidden_bit) - 1);
  double size = INFINITY;
  if (field == format::max_field && fraction != 0) return NAN;
  if (field != format::max_field)
    size = std::ldexp(double(fraction + (field != 0 ? std::uint64_t(format::hidden_bit) : 0)),
                      format::lsb + std::max(field, 1) - 1);
  return (word & format::sign_bit) != 0 ? -size : size;
}

inline std::optional<double> parse_double(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double size = 0;
  if (text == "nan") return NAN;
  if (text == "inf") return negative ? -INFINITY : INFINITY;
  if (!text.starts_with("0x")) return {};
  text.remove_prefix(2);
  const char* end = text.data() + text.size();
  const auto [stop, why] = std::from_chars(text.data(), end, size, std::chars_format::hex);
  if (why != std::errc() || stop != end) return {};
  return negative ? -size : size;
}

template <class T>
std::optional<T> parse_element(std::string_view text) {
  if constexpr (is_floating(dtype_of<T>)) {
    const auto value = parse_double(text);
    if (!value) return {};
    return detail::from_bits<T>(exact_bits<T>(*value));
  } else {
    using whole = std::conditional_t<std::is_same_v<T, bool>, int, T>;
    whole value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, why] = std::from_chars(text.data(), end, value);
    if (why != std::errc() || stop != end) return {};
    return T(value);
  }
}

/// C99's hexadecimal form, normalised for subnormal numbers too.
inline std::string hexadecimal(double x) {
  if (std::isnan(x)) return "nan";
  const std::string sign = std::signbit(x) ? "-" : "";
  if (std::isinf(x)) return sign + "inf";
  if (x == 0) return sign + "0x0p+0";
  const int exponent = std::ilogb(x);
  char digits[32];
  const double significand = std::ldexp(std::fabs(x), -exponent);
  const auto done =
      std::to_chars(digits, digits + sizeof digits, significand, std::chars_format::hex);
  std::string text(digits, done.ptr);
  text.resize(text.find('p'));
  return sign + "0x" + text + (exponent < 0 ? "p" : "p+") + std::to_string(exponent);
}

}  // namespace onefold::conformance
