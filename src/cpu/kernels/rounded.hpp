// SPDX-License-Identifier: Apache-2.0
// Elements as the floats of elementwise steps, and these rounded to elements: without branches, so
// that compilers vectorise the loops of it.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "onefold/detail/float_format.hpp"

namespace onefold::cpu {

template <class T>
using step_type = std::conditional_t<std::is_same_v<T, double>, double, float>;

// a where the condition holds, else b. A choice by ?: moves sums into a branch, which compilers do
// not vectorise.
inline std::uint32_t select(bool condition, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0 - std::uint32_t(condition);
  return (a & mask) | (b & ~mask);
}

inline float step(bf16 x) {
  return std::bit_cast<float>(std::uint32_t(x.bits) << 16);
}
// The exponents' biases differ by 112. A subnormal half is what is above 2^-14: products of
// subnormal floats would take a hundred cycles.
inline float step(f16 x) {
  const std::uint32_t magnitude = std::uint32_t(x.bits & 0x7FFF) << 13;
  const std::uint32_t sign = std::uint32_t(x.bits & 0x8000) << 16;
  const std::uint32_t normal = magnitude + (112u << 23);
  const auto subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude + (113u << 23)) - 0x1p-14f);
  const std::uint32_t special = magnitude | 0x7F800000;
  const std::uint32_t finite = select(magnitude < 1u << 23, subnormal, normal);
  return std::bit_cast<float>(select(magnitude >= 0x0F800000, special, finite) | sign);
}
inline float step(float x) {
  return x;
}
inline double step(double x) {
  return x;
}

// To nearest even in T; NaNs become the canonical one.
template <class T>
T rounded(step_type<T> y) {
  using format = detail::float_format<T>;
  const auto bits = detail::to_bits(y);
  if constexpr (std::is_same_v<T, bf16>) {
    const std::uint32_t nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return {std::uint16_t((bits & 0x7FFFFFFF) > 0x7F800000 ? format::quiet_nan : nearest)};
  } else if constexpr (std::is_same_v<T, f16>) {
    const std::uint32_t magnitude = bits & 0x7FFFFFFF, odd = magnitude >> 13 & 1;
    // Below 2^-14 a sum with 1/2 has the unit of subnormal halves.
    const auto low =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000;
    const std::uint32_t usual = (magnitude + 0xFFF + odd - (112u << 23)) >> 13;
    std::uint32_t half = select(magnitude < 0x38800000, low, usual);
    half = select(magnitude >= 0x477FF000, format::infinity, half) | (bits >> 16 & 0x8000);
    return {std::uint16_t(select(magnitude > 0x7F800000, format::quiet_nan, half))};
  } else {
    const auto magnitude = bits & ~format::sign_bit;
    return detail::from_bits<T>(magnitude > format::infinity ? format::quiet_nan : bits);
  }
}

}  // namespace onefold::cpu
