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
/// The bits of this float are C = 91 2^22, those of the ones about it the integers about C: C (1 +
/// p) where p is small, made by one fused operation that adds p C ulps of 2^-105.
inline constexpr float term_one = 0x1.8p-82f;
static_assert(__builtin_bit_cast(std::uint32_t, term_one) == 91 << 22);
/// p C ulps: r (first + r (second + r third)). `second` differs from half of `first` by what makes
/// the error of degree 4 least on |r| <= log(2) / 64.
inline constexpr float term_first = 91 * 0x1p-83f, term_second = 0x1.6c00eap-78f,
                       term_third = 0x1.e55556p-80f;
/// 2^(j / 32) 2^31, rounded to integers.
// clang-format off
inline constexpr std::uint32_t term_powers[term_steps] = {
    0x80000000, 0x82cd8699, 0x85aac368, 0x88980e81, 0x8b95c1e4, 0x8ea4398b, 0x91c3d374, 0x94f4efa9,
    0x9837f052, 0x9b8d39ba, 0x9ef53261, 0xa2704303, 0xa5fed6aa, 0xa9a15ab5, 0xad583eea, 0xb123f582,
    0xb504f334, 0xb8fbaf47, 0xbd08a39f, 0xc12c4cca, 0xc5672a11, 0xc9b9bd86, 0xce248c15, 0xd2a81d92,
    0xd744fccb, 0xdbfbb798, 0xe0ccdeec, 0xe5b906e7, 0xeac0c6e8, 0xefe4b99c, 0xf5257d15, 0xfa83b2db};
// clang-format on

/// A term is shifted down by so many places, and by as many as its binade is below that of the
/// chunk's largest element; sums of 2^16 terms fit 64 bits.
inline constexpr int term_guard = 13;
/// exp(0) so shifted is 91 2^40.
inline constexpr double term_unit = 1.0 / (91 * 0x1p40);
/// Elements so many binades below the largest one add nothing.
inline constexpr int term_reach = 48;
/// Beyond this the largest element is subtracted from the others, which is exact for all that
/// count.
inline constexpr float largest_origin_free = 128;

/// exp(d) = value / (91 2^53) 2^exponent. Precondition: |d| <= 172.
struct term {
  std::uint64_t value;
  std::int32_t exponent;
};
ONEFOLD_HOST_DEVICE inline term term_of(float d, const std::uint32_t* powers) noexcept {
  const float shifted = __builtin_fmaf(d, steps_of_log_2, float_integer_ulp);
  const float k = shifted - float_integer_ulp;
  const float r = __builtin_fmaf(k, -step_low, __builtin_fmaf(k, -step_high, d));
  const float slope = __builtin_fmaf(r, __builtin_fmaf(r, term_third, term_second), term_first);
  const auto factor = __builtin_bit_cast(std::uint32_t, __builtin_fmaf(r, slope, term_one));
  const auto bits = __builtin_bit_cast(std::uint32_t, shifted);
  return {std::uint64_t(powers[bits % term_steps]) * factor,
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
          double(sum) * term_unit};
}

}  // namespace onefold::exponential
