// SPDX-License-Identifier: Apache-2.0
// A parser of decimal numbers that does not depend on the locale.
#include "state/decimal_parts.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace onefold::detail {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Consumes the digits at the front of the text.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

bool take_sign(std::string_view& text) {
  if (text.empty() || (text.front() != '-' && text.front() != '+')) return false;
  const bool negative = text.front() == '-';
  text.remove_prefix(1);
  return negative;
}

// tolower() would depend on the locale.
bool is_word(std::string_view text, std::string_view lower_case) {
  return std::equal(
      text.begin(), text.end(), lower_case.begin(), lower_case.end(),
      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

// The value of the exponent; an exponent beyond the limits becomes a value just beyond them.
int exponent_value(bool negative, std::string_view digits) {
  int value = 0;
  for (const char digit : digits)
    value = std::min(value * 10 + (digit - '0'), max_decimal_exponent + 1);
  return negative ? -value : value;
}

status not_a_decimal(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string message = "'";
  message += text.substr(0, shown);
  message += text.size() > shown ? "...'" : "'";
  message += " is not a decimal number; write it as -12.5e-3, inf or nan";
  return {status_code::malformed, std::move(message)};
}

}  // namespace

status read_decimal(std::string_view text, decimal_text& out) {
  std::string_view rest = text;
  out = {};
  out.negative = take_sign(rest);
  if (is_word(rest, "nan")) return out.kind = decimal_kind::nan, status();
  if (is_word(rest, "inf") || is_word(rest, "infinity"))
    return out.kind = decimal_kind::infinite, status();

  out.whole = take_digits(rest);
  out.integer = rest.empty();
  if (!rest.empty() && rest.front() == '.') {
    rest.remove_prefix(1);
    out.fraction = take_digits(rest);
  }
  const auto digits = out.whole.size() + out.fraction.size();
  if (digits == 0) return not_a_decimal(text);
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    rest.remove_prefix(1);
    const bool negative = take_sign(rest);
    const auto exponent = take_digits(rest);
    if (exponent.empty()) return not_a_decimal(text);
    out.exponent = exponent_value(negative, exponent);
  }
  if (!rest.empty()) return not_a_decimal(text);
  if (digits > static_cast<std::size_t>(max_decimal_digits))
    return {status_code::unsupported, "a number has more than 1048576 digits; shorten it"};
  if (out.exponent > max_decimal_exponent || out.exponent < -max_decimal_exponent)
    return {status_code::unsupported, "an exponent lies beyond +-100000; scale the numbers"};
  out.whole.remove_prefix(std::min(out.whole.find_first_not_of('0'), out.whole.size()));
  return {};
}

}  // namespace onefold::detail
