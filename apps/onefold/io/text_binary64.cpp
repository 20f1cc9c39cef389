// SPDX-License-Identifier: Apache-2.0
// Correctly rounded conversion of one decimal to binary64.
#include "io/text_binary64.hpp"

#include <charconv>
#include <cstdint>

#include "io/text_error.hpp"
#include "onefold/decimal.hpp"

namespace onefold::program {

namespace {

bool from_characters(std::string_view text, double& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
}

// If the mantissa and the power of ten are both binary64 numbers: one operation, one rounding.
bool small_binary64(const scanned_number& number, double& value) {
  constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (number.mantissa > std::uint64_t(1) << 53 || number.scale > 22 || number.scale < -22)
    return false;
  const auto mantissa = static_cast<double>(number.mantissa);
  value = number.scale >= 0 ? mantissa / powers[number.scale] : mantissa * powers[-number.scale];
  if (number.negative) value = -value;
  return true;
}

}  // namespace

bool scanned_binary64(const char* first, const scanned_number& number, double& value) {
  return small_binary64(number, value) || from_characters({first, number.end}, value);
}

status read_binary64(std::string_view text, double& value) {
  if (find_fault(text) != std::string_view::npos) return {status_code::malformed, {}};
  if (text.front() == '+') text.remove_prefix(1);
  if (from_characters(text, value)) return {};
  decimal_sum alone;  // out of range, and from_chars does not report the direction
  if (auto added = alone.add(text); !added) return added;
  value = alone.value();
  return {};
}

}  // namespace onefold::program
