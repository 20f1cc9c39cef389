// SPDX-License-Identifier: Apache-2.0
// Rounds a decimal value, divided by an integer, once to a binary format.
//
//   |value| / n = D * 10^(9 k) / n,   D an integer of at most 92 decimal limbs and a sticky bit
//
// D is converted to binary by Horner's rule. For k >= 0 it is multiplied by 10^9 k times; for k < 0
// it is shifted left by s limbs of 32 bits and divided by 10^9 -k times. Floors compose,
// floor(floor(x / a) / b) = floor(x / (a b)), so the quotient's bits are exact, and all remainders
// together are one sticky bit below them. With >= 66 bits of quotient, round_magnitude's rounding
// of (quotient, sticky) is the rounding of the true value. The arithmetic is on integers only.
//
// Why 92 limbs: let n B be a boundary between two results, times the divisor. It is an integer
// below 2^117 times a power of two not below 2^-1075, so it has at most 36 + 752 decimal digits. 92
// limbs hold at least 91 * 9 + 1 = 820 digits: no boundary is strictly between the value and its
// first 820 digits, and the sticky bit says on which side of that number the value is.
#pragma once

#include <cstdint>

#include "onefold/detail/float_format.hpp"
#include "state/big_decimal.hpp"

namespace onefold::detail {

/// The bits of |value| / divisor in format T, ties to even. Precondition: divisor >= 1.
template <class T>
typename float_format<T>::bits round_decimal(const decimal_magnitude& value, std::int64_t divisor);

}  // namespace onefold::detail
