// SPDX-License-Identifier: Apache-2.0
// Software prefetches of the SIMD loops.
#pragma once

#include <cstddef>

namespace onefold::cpu {

/// The bytes that one prefetch loads.
inline constexpr std::size_t cache_line_bytes = 64;

/// Prefetches the line of x 16 KiB ahead into the second-level cache, and 2 KiB ahead into the
/// first. Without prefetching, one core reads memory at 0.66 of the read ceiling in the exact loop
/// of f64 (its loads are too far apart for the hardware prefetcher); with the second-level prefetch
/// alone at 0.88. The distances were the best with two threads (docs/performance/cpu.md). The line
/// may be past the end of the array: a prefetch does not fault.
[[gnu::always_inline]] inline void prefetch_ahead(const void* x) {
  const char* const at = static_cast<const char*>(x);
  __builtin_prefetch(at + 16384, 0, 2);
  __builtin_prefetch(at + 2048, 0, 3);
}

/// The same for the loop's own x + Offset, once for each line.
template <std::size_t Offset, class T>
[[gnu::always_inline]] inline void prefetch(const T* x) {
  if constexpr (Offset * sizeof(T) % cache_line_bytes == 0) prefetch_ahead(x + Offset);
}

}  // namespace onefold::cpu
