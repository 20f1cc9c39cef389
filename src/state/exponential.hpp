// SPDX-License-Identifier: Apache-2.0
// The constants of our exponential: exp(d) = 2^k p(r), k = round(d / log 2), r = d - k log 2.
//
// No function of a mathematical library is called, so that its version cannot change a bit. The
// polynomials were fitted to the smallest relative error on |r| <= 0.3469 by the method of C. L.
// Lawson, in 120 bits, and rounded to doubles; tests/cpu/log_sum_test.cpp measures them.
#pragma once

#include <cstdint>

namespace onefold::exponential {

inline constexpr double inverse_log_of_2 = 0x1.71547652b82fep+0;
/// log 2 in two parts. The upper one ends at 2^-42, so that d - k high is a double.
inline constexpr double log_of_2_high = 0x1.62e42fefa3800p-1, log_of_2_low = 0x1.ef35793c76730p-45;
/// log 2 in one part, for the shorter polynomial.
inline constexpr double log_of_2 = 0x1.62e42fefa39efp-1;
/// Adding it rounds to an integer, whose low bits then end the significand.
inline constexpr double integer_ulp = 0x1.8p52;
/// Below this an exponential counts as zero: 2^k must be normal.
inline constexpr double least_argument = -708;

/// From r^0 on. Relative error below 2^-55.4.
inline constexpr double long_polynomial[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p+0,  0x1.0000000000010p-1,  0x1.55555555554a0p-3,
    0x1.555555554f2a8p-5,  0x1.11111111311e0p-7,  0x1.6c16c187ab072p-10, 0x1.a01a010f7d31ep-13,
    0x1.a019925fef96ap-16, 0x1.71df462b59c5ap-19, 0x1.28b37aebbd1fcp-22, 0x1.ad65a4baebc04p-26};
/// Relative error below 2^-39.6: for elements of 24 bits and fewer.
inline constexpr double short_polynomial[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p+0,  0x1.000000005e9cap-1,
    0x1.5555557e0b2fap-3,  0x1.5555541ca11c2p-5,  0x1.1110a1f962e9dp-7,
    0x1.6c18d51a9a851p-10, 0x1.a186076289370p-13, 0x1.9e887c39c12edp-16};

/// exp(d), the long polynomial. Relative error: 2.5 * 2^-53. Below -708: 0. Precondition: d <= 700.
double of(double d) noexcept;

}  // namespace onefold::exponential
