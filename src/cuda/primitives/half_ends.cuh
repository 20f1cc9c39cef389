// SPDX-License-Identifier: Apache-2.0
#pragma once
// The largest and the least nonzero magnitude of bfloat16s, two at a time in the halves of words.

#include "cuda/primitives/words.cuh"

namespace onefold::cuda {

/// Magnitudes are the lower 15 bits of a half. The least is kept less one, modulo 2^16, so that
/// zeros are larger than all others.
class half_ends {
 public:
  ONEFOLD_DEVICE void take(std::uint32_t word) {
    const std::uint32_t magnitudes = word & 0x7FFF7FFF;
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
    for (int shift : {0, 16}) {
      const std::uint32_t mask = 0xFFFFu << shift, half = magnitudes & mask;
      largest_ = (largest_ & ~mask) | max(largest_ & mask, half);
      least_ = (least_ & ~mask) | min(least_ & mask, (half - (1u << shift)) & mask);
    }
#else
    largest_ = __vmaxu2(largest_, magnitudes);
    least_ = __viaddmin_u16x2(magnitudes, 0xFFFFFFFF, least_);
#endif
  }

  ONEFOLD_DEVICE int largest() const {
    return int(max(largest_ & 0xFFFF, largest_ >> 16));
  }
  /// 2^16 if all are zero.
  ONEFOLD_DEVICE int least() const {
    return int(min(least_ & 0xFFFF, least_ >> 16)) + 1;
  }

 private:
  std::uint32_t largest_ = 0, least_ = 0xFFFFFFFF;
};

}  // namespace onefold::cuda
