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

}  // namespace onefold::cuda
