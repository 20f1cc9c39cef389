// SPDX-License-Identifier: Apache-2.0
// exp(x) of f16, bf16 and f32 as logsumexp adds it: a fixed-point number, made by a few operations
// of binary32 that round the same on every machine (docs/numerics/logsumexp.md).
//
// With x = k log(2) / 32 + r, k an integer, exp(x) is 2^(k / 32) (1 + p(r)). The power is 2^floor(k
// / 32) times one of 32 integers; p is a polynomial of degree 3. The sum of a chunk is a sum of
// integers, so it is exact and has no order.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "state/exponential.hpp"

namespace onefold::exponential {

inline constexpr int term_steps = 32;                    // of a binade
inline constexpr float steps_of_log_2 = 0x1.715476p+5f;  // 32 / log 2
/// log(2) / 32 in two parts.
inline constexpr float step_high = 0x1.62e43p-6f, step_low = -0x1.05c61p-34f;
/// Adding this rounds a float to an integer, which the low bits of the significand then hold.
inline constexpr float float_integer_ulp = 0x1.8p23f;
inline constexpr std::int32_t float_integer_bits = 0x4B400000;
/// The polynomial times 2^32: r (first + r (second + r third)). `second` differs from 2^31 by what
/// makes the error of degree 4 least on |r| <= log(2) / 64.
inline constexpr float term_first = 0x1p32f, term_second = 0x1.0000a4p+31f,
                       term_third = 0x1.555556p+29f;
/// 2^(j / 32) 2^30, rounded to integers.
// clang-format off
inline constexpr std::uint32_t term_powers[term_steps] = {
    0x40000000, 0x4166c34c, 0x42d561b4, 0x444c0740, 0x45cae0f2, 0x47521cc6, 0x48e1e9ba, 0x4a7a77d4,
    0x4c1bf829, 0x4dc69cdd, 0x4f7a9930, 0x51382182, 0x52ff6b55, 0x54d0ad5a, 0x56ac1f75, 0x5891fac1,
    0x5a82799a, 0x5c7dd7a4, 0x5e8451d0, 0x60962665, 0x62b39509, 0x64dcdec3, 0x6712460b, 0x69540ec9,
    0x6ba27e65, 0x6dfddbcc, 0x70666f76, 0x72dc8374, 0x75606374, 0x77f25cce, 0x7a92be8b, 0x7d41d96e};
// clang-format on

/// Terms of a chunk keep so many binary places below those of its largest element; sums of 2^16
/// terms fit 64 bits.
inline constexpr int term_places = 47, term_guard = 62 - term_places;
/// Elements so many binades below the largest one add nothing.
inline constexpr int term_reach = 48;
/// Beyond this the largest element is subtracted from the others, which is exact for all that
/// count.
inline constexpr float largest_origin_free = 128;

/// exp(d) = value 2^(exponent - 62). Precondition: |d| < 2^16.
struct term {
  std::uint64_t value;
  std::int32_t exponent;
};
ONEFOLD_HOST_DEVICE inline term term_of(float d, const std::uint32_t* powers) noexcept {
  const float shifted = __builtin_fmaf(d, steps_of_log_2, float_integer_ulp);
  const float k = shifted - float_integer_ulp;
  const float r = __builtin_fmaf(k, -step_low, __builtin_fmaf(k, -step_high, d));
  const float p = r * __builtin_fmaf(r, __builtin_fmaf(r, term_third, term_second), term_first);
  const auto bits = __builtin_bit_cast(std::uint32_t, shifted);
  const std::uint32_t power = powers[bits % term_steps];
  const std::int64_t rest = std::int64_t(std::int32_t(power)) * std::int32_t(p);
  return {(std::uint64_t(power) << 32) + std::uint64_t(rest),
          std::int32_t(bits / term_steps) - float_integer_bits / term_steps};
}

/// What the terms of a chunk are relative to.
struct term_scale {
  float origin = 0;           ///< is subtracted from each element
  float least = 0;            ///< of the differences; those below it add nothing
  std::int32_t exponent = 0;  ///< of the largest element's term
};

/// Precondition: `largest` is the largest element, and finite.
ONEFOLD_HOST_DEVICE inline term_scale scale_of(float largest) noexcept {
  const bool beyond = largest > largest_origin_free || largest < -largest_origin_free;
  term_scale scale;
  scale.origin = beyond ? largest : 0;
  const float shifted = __builtin_fmaf(largest - scale.origin, steps_of_log_2, float_integer_ulp);
  scale.exponent =
      (__builtin_bit_cast(std::int32_t, shifted) >> 5) - float_integer_bits / term_steps;
  scale.least = (float(scale.exponent - term_reach) + 0.5f) * 0x1.62e43p-1f;
  return scale;
}

/// What an element x adds, whose difference from the origin is d >= scale.least.
ONEFOLD_HOST_DEVICE inline std::uint64_t scaled_term(float d, const term_scale& scale,
                                                     const std::uint32_t* powers) noexcept {
  const term found = term_of(d, powers);
  return found.value >> (scale.exponent + term_guard - found.exponent);
}

/// The sum of a chunk's terms as that of a state (shifted_sum.hpp): sum exp(x) = sum exp(shift).
/// Where nothing was added to the largest element, it is the shift; of -0 that is +0.
struct scaled_sum {
  double shift, sum;
};
ONEFOLD_HOST_DEVICE inline scaled_sum exponentials_of_terms(std::uint64_t sum, float largest,
                                                            const term_scale& scale,
                                                            const std::uint32_t* powers) noexcept {
  if (sum == scaled_term(largest - scale.origin, scale, powers)) return {double(largest) + 0.0, 1};
  return {scale.origin != 0 ? double(scale.origin) : scale.exponent * log_of_2,
          double(sum) * 0x1p-47};
}

}  // namespace onefold::exponential
