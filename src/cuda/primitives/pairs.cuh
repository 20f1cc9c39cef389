// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two binary16s or bfloat16s at once, in the halves of a word: the greater and lesser ones, as in
// greater.cuh, and whether they are finite. One instruction each since sm_80.

#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

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

/// The products of two elements with 0, plus `zero`, of which a half is +0 or a NaN: it stays +0 if
/// the element is finite, and becomes a NaN of any other.
template <class T>
ONEFOLD_DEVICE std::uint32_t plus_zero_times(std::uint32_t x, std::uint32_t zero) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, f16>)
    asm("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(zero) : "r"(x), "r"(0));
  else
    asm("fma.rn.bf16x2 %0, %1, %2, %0;" : "+r"(zero) : "r"(x), "r"(0));
  return zero;
#else
  constexpr std::uint32_t infinity = detail::float_format<T>::infinity;
  const auto half_of = [](std::uint32_t half) {
    return (half & infinity) == infinity ? 0x7FFFu : 0u;
  };
  return zero | half_of(x >> 16) << 16 | half_of(x);
#endif
}

}  // namespace onefold::cuda
