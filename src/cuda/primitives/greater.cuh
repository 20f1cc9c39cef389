// SPDX-License-Identifier: Apache-2.0
#pragma once
// The greater of two floats, of which a NaN is greater than all and +0 is greater than -0, and the
// lesser one: one instruction since sm_80, whose NaN is the canonical one.

#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

/// The greater one, or a NaN where one is.
ONEFOLD_DEVICE float greater_or_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float greater;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(a), "f"(b));
  return greater;
#else
  if (a != a || b != b) return detail::from_bits<float>(0x7FFFFFFF);
  return a > b ? a : b > a ? b : detail::from_bits<float>(detail::to_bits(a) & detail::to_bits(b));
#endif
}

/// The lesser one, or a NaN where one is.
ONEFOLD_DEVICE float lesser_or_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float lesser;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(lesser) : "f"(a), "f"(b));
  return lesser;
#else
  return -greater_or_nan(-a, -b);
#endif
}

/// The greater ones of two binary16s or bfloat16s each, in the halves of words.
template <class T>
ONEFOLD_DEVICE std::uint32_t greater_halves_or_nan(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint32_t greater;
  if constexpr (std::is_same_v<T, f16>)
    asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(greater) : "r"(a), "r"(b));
  else
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(greater) : "r"(a), "r"(b));
  return greater;
#else
  const auto greater_half = [](std::uint32_t x, std::uint32_t y) -> std::uint32_t {
    x &= 0xFFFF, y &= 0xFFFF;
    const float own = float_of<T>(std::uint16_t(x)), other = float_of<T>(std::uint16_t(y));
    if (own != own || other != other) return 0x7FFF;
    return own > other ? x : other > own ? y : x & y;
  };
  return greater_half(a >> 16, b >> 16) << 16 | greater_half(a, b);
#endif
}
/// The lesser ones.
template <class T>
ONEFOLD_DEVICE std::uint32_t lesser_halves_or_nan(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  std::uint32_t lesser;
  if constexpr (std::is_same_v<T, f16>)
    asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(lesser) : "r"(a), "r"(b));
  else
    asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(lesser) : "r"(a), "r"(b));
  return lesser;
#else
  constexpr std::uint32_t signs = 0x80008000;
  return greater_halves_or_nan<T>(a ^ signs, b ^ signs) ^ signs;
#endif
}

}  // namespace onefold::cuda
