// SPDX-License-Identifier: Apache-2.0
// Rounds a decimal value, divided by an integer, once to a binary format; prints all its digits.
//
//   |value| / n = D * 10^(9 k) / n,   D an integer of at most 92 decimal limbs and a sticky bit
//
// D is converted to binary by Horner's rule, scaled, and divided by integer arithmetic, whose
// remainders are one more sticky bit. Proof: docs/numerics.md, Theorem 19.
#pragma once

#include <cstdint>
#include <string>

#include "onefold/detail/float_format.hpp"
#include "state/big_decimal.hpp"

namespace onefold::detail {

/// The bits of |value| / divisor in format T, ties to even. Precondition: divisor >= 1.
template <class T>
typename float_format<T>::bits round_decimal(const decimal_magnitude& value, std::int64_t divisor);

/// All digits: "-12.5", "0.001", "0"; without trailing zeros in a fraction, without an exponent.
std::string in_full(const decimal_magnitude& value);

}  // namespace onefold::detail
