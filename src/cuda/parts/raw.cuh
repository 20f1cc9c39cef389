// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements as bits, of a width that is known when a kernel runs.

#include "cuda/parts/words.cuh"

#include <cstdint>

namespace onefold::cuda {

/// Calls f with an unsigned integer of 1, 2, 4 or 8 bytes.
template <class F>
ONEFOLD_DEVICE void with_raw(int bytes, const F& f) {
  switch (bytes) {
  case 1:
    return f(std::uint8_t());
  case 2:
    return f(std::uint16_t());
  case 4:
    return f(std::uint32_t());
  default:
    return f(std::uint64_t());
  }
}

}  // namespace onefold::cuda
