// SPDX-License-Identifier: Apache-2.0
// What the hot loops ask memory for ahead of time.
#if defined(ONEFOLD_CPU_PREFETCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_PREFETCH_INL
#undef ONEFOLD_CPU_PREFETCH_INL
#else
#define ONEFOLD_CPU_PREFETCH_INL
#endif

#include <hwy/highway.h>

#include "cpu/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

// Into the second cache 8 KiB ahead, into the first 4 KiB ahead. Without it one core reads memory
// at 0.66 of the read ceiling (its loads are too far apart for the hardware to run ahead), with the
// first alone at 0.88, with both at 0.96 (AVX-512, f64; docs/performance.md).
template <int Offset, class T>
HWY_INLINE void prefetch(const T* x) {
  if (Offset * sizeof(T) % cache_line_bytes != 0) return;  // that line has been asked for
  const char* const at = reinterpret_cast<const char*>(x + Offset);
  __builtin_prefetch(at + 8192, 0, 2);
  __builtin_prefetch(at + 4096, 0, 3);
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
