// SPDX-License-Identifier: Apache-2.0
// Prints a decimal magnitude with all its digits.
#pragma once

#include <string>

#include "state/big_decimal.hpp"

namespace onefold::detail {

/// "-12.5", "0.001", "0": without trailing zeros in a fraction, without an exponent.
std::string in_full(const decimal_magnitude& value);

}  // namespace onefold::detail
