// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two floats to nearest in a format of 16 bits, as the halves of a word.

#include "cuda/rounding/answer.cuh"

namespace onefold::cuda {

/// Of a NaN some NaN.
template <class T>
ONEFOLD_DEVICE std::uint32_t rounded_pair(float low, float high) {
  static_assert(sizeof(T) == 2);
#if defined(ONEFOLD_PLAIN_DEVICE_CODE) || __CUDA_ARCH__ < 800
  return std::uint32_t(rounded_bits<T>(high)) << 16 | rounded_bits<T>(low);
#else
  std::uint32_t pair;
  if constexpr (std::is_same_v<T, f16>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#endif
}

}  // namespace onefold::cuda
