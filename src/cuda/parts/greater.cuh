// SPDX-License-Identifier: Apache-2.0
#pragma once
// The greater of two floats, of which a NaN is greater than all: one instruction since sm_80.

#include "cuda/parts/words.cuh"

namespace onefold::cuda {

/// The greater one, or a NaN where one is.
ONEFOLD_DEVICE float greater_or_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float greater;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greater) : "f"(a), "f"(b));
  return greater;
#else
  return a > b || a != a ? a : b;
#endif
}

}  // namespace onefold::cuda
