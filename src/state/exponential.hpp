// SPDX-License-Identifier: Apache-2.0
// The constants of our exponential: exp(d) = 2^k p(r), k = round(d / log 2), r = d - k log 2.
//
// It calls no function of a mathematical library, whose version could change bits. The polynomial
// minimises the relative error on |r| <= 0.3469; it was fitted by the method of C. L. Lawson in 120
// bits, and rounded to doubles. tests/cpu/log_sum_test.cpp measures its error.
#pragma once

#include <cstdint>

namespace onefold::exponential {

inline constexpr double inverse_log_of_2 = 0x1.71547652b82fep+0;
/// log 2 in two parts. The upper part ends at 2^-42, so that d - k high is a double.
inline constexpr double log_of_2_high = 0x1.62e42fefa3800p-1, log_of_2_low = 0x1.ef35793c76730p-45;
/// log 2 in one part.
inline constexpr double log_of_2 = 0x1.62e42fefa39efp-1;
/// Adding this rounds a double to an integer, which the low bits of the significand then hold.
inline constexpr double integer_ulp = 0x1.8p52;
/// Below this an exponential counts as zero: 2^k must be normal.
inline constexpr double least_argument = -708;

/// Coefficients from r^0 on. Relative error below 2^-55.4.
inline constexpr double long_polynomial[] = {
    0x1.0000000000000p+0,  0x1.0000000000000p+0,  0x1.0000000000010p-1,  0x1.55555555554a0p-3,
    0x1.555555554f2a8p-5,  0x1.11111111311e0p-7,  0x1.6c16c187ab072p-10, 0x1.a01a010f7d31ep-13,
    0x1.a019925fef96ap-16, 0x1.71df462b59c5ap-19, 0x1.28b37aebbd1fcp-22, 0x1.ad65a4baebc04p-26};
/// exp(-d) 2^63 for d = 0, 1, …, rounded to integers. The exponentials after them are below 2^-69.
inline constexpr int fixed_count = 48;
// clang-format off
inline constexpr std::uint64_t fixed[fixed_count] = {
    0x8000000000000000, 0x2f16ac6c59de6f8d, 0x1152aaa3bf81cba0, 0x65f6c3333ac2bb2,
    0x2582ab704279e8f, 0xdcc9ff006a9bb1, 0x513947c44f5357, 0x1de16b9c24a98f, 0xafe10820813d6,
    0x40b3c89499516, 0x17cd79b5647ca, 0x8c1aa11c7b3b, 0x338a98768779, 0x12f6053b981e, 0x6f9b1bf6c06,
    0x290eb9444fe, 0xf1aaddd774, 0x58e78c5d6a, 0x20b4c518d3, 0xc082b7f96, 0x46d21957d, 0x1a0db0d0e,
    0x995a45f9, 0x386a4fc8, 0x14c10790, 0x7a28de9, 0x2cf0a55, 0x108852a, 0x614fc0, 0x23cc85,
    0xd2b70, 0x4d848, 0x1c846, 0xa7db, 0x3dc0, 0x16b7, 0x85b, 0x313, 0x122, 0x6b, 0x27, 0xe, 0x5,
    0x2, 0x1, 0x0, 0x0, 0x0};
// clang-format on

/// exp(d) by the long polynomial. Relative error: 2.5 * 2^-53. Returns 0 below -708. Precondition:
/// d <= 700.
double of(double d) noexcept;

}  // namespace onefold::exponential
