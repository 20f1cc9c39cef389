// SPDX-License-Identifier: Apache-2.0
// Into the second cache, 8 KiB ahead: the loads of one core alone are too few to keep memory busy.
#pragma once

#include <cstdint>

namespace onefold::cpu {

/// The address may lie behind the array: it is an integer here, and a prefetch reads nothing.
inline void prefetch_ahead(const void* x) {
  const auto ahead = reinterpret_cast<std::uintptr_t>(x) + 8192;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): nothing is read through it
  __builtin_prefetch(reinterpret_cast<const void*>(ahead), 0, 2);
}

}  // namespace onefold::cpu
