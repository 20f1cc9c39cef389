// SPDX-License-Identifier: Apache-2.0
// A decimal magnitude in all its digits, as text.
#pragma once

#include <string>

#include "state/big_decimal.hpp"

namespace onefold::detail {

/// "-12.5", "0.001", "0": no zero behind the last digit of a fraction, no exponent.
std::string in_full(const decimal_magnitude& value);

}  // namespace onefold::detail
