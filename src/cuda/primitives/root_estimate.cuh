// SPDX-License-Identifier: Apache-2.0
#pragma once
// An estimate of 1 / sqrt(x), by one instruction.

#include "cuda/primitives/words.cuh"

namespace onefold::cuda {

/// About 1 / sqrt(x) of a normal number; of others anything. How near is for the caller to check.
ONEFOLD_DEVICE float root_reciprocal_estimate(float x) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  return rsqrtf(x);
#else
  asm("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
  return x;
#endif
}

}  // namespace onefold::cuda
