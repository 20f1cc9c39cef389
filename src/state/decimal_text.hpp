// SPDX-License-Identifier: Apache-2.0
// The grammar of one decimal number, in one place.
#pragma once

#include <cstdint>
#include <string_view>

#include "onefold/status.hpp"

namespace onefold::detail {

enum class decimal_kind : unsigned char { finite, infinite, nan };

/// One number as it is written: +-(whole fraction) * 10^(exponent - size of fraction).
struct decimal_text {
  decimal_kind kind = decimal_kind::finite;
  bool negative = false;
  bool integer = false;       ///< no point, no exponent
  std::string_view whole;     ///< digits before the point, without leading zeros
  std::string_view fraction;  ///< digits behind the point
  int exponent = 0;
};

/// Reads one number, all of `text`. Fails: malformed, unsupported, as decimal_sum::add does.
status read_decimal(std::string_view text, decimal_text& out);

}  // namespace onefold::detail
