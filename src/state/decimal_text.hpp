// SPDX-License-Identifier: Apache-2.0
// The grammar of a decimal number.
#pragma once

#include <cstdint>
#include <string_view>

#include "onefold/status.hpp"

namespace onefold::detail {

enum class decimal_kind : unsigned char { finite, infinite, nan };

/// A parsed number: +-(whole fraction) * 10^(exponent - size of fraction).
struct decimal_text {
  decimal_kind kind = decimal_kind::finite;
  bool negative = false;
  bool integer = false;       ///< neither point nor exponent
  std::string_view whole;     ///< digits before the point, without leading zeros
  std::string_view fraction;  ///< digits after the point
  int exponent = 0;
};

/// Parses all of `text` as one number. Fails: malformed, unsupported, as decimal_sum::add does.
status read_decimal(std::string_view text, decimal_text& out);

}  // namespace onefold::detail
