// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of pieces of rows: what is next to a piece is wanted too, but by another block.

#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

/// 16 bytes that no thread writes while the kernel runs, read once. The 256 bytes that they lie in
/// come to L2: DRAM gives no less than 64, of which a piece that is not aligned leaves a part.
ONEFOLD_DEVICE uint4 load_piece(const void* at) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE) || __CUDA_ARCH__ < 800
  return load_vector(at);
#else
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(at));
  return v;
#endif
}

/// A vector that L1 keeps. The 128 or 256 bytes that it lies in come to L2; 0: as many as the
/// device likes.
template <int Bytes>
ONEFOLD_DEVICE uint4 load_near(const uint4* at) {
#if !defined(ONEFOLD_PLAIN_DEVICE_CODE) && __CUDA_ARCH__ >= 800
  uint4 v;
  if constexpr (Bytes == 128) {
    asm("ld.global.nc.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(at));
    return v;
  }
  if constexpr (Bytes == 256) {
    asm("ld.global.nc.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(at));
    return v;
  }
#endif
  return __ldg(at);
}

/// 16 bytes that are not read again soon: the first to leave L2.
ONEFOLD_DEVICE void store_piece(void* at, const uint4& v) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  *static_cast<uint4*>(at) = v;
#else
  __stcs(static_cast<uint4*>(at), v);
#endif
}

}  // namespace onefold::cuda
