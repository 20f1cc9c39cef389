// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of pieces of rows: what is next to a piece is wanted too, but by another block. And what
// moves bytes of such vectors in registers.

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

/// 16 of 32 bytes, from byte `first` on. Precondition: first < 16.
ONEFOLD_DEVICE uint4 shifted(const uint4& low, const uint4& high, unsigned first) {
  std::uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  ONEFOLD_UNROLL
  for (int i = 0; i < 6; ++i) words[i] = first & 8 ? words[i + 2] : words[i];
  ONEFOLD_UNROLL
  for (int i = 0; i < 5; ++i) words[i] = first & 4 ? words[i + 1] : words[i];
  const unsigned select = 0x3210 + 0x1111 * (first % 4);
  return make_uint4(
      __byte_perm(words[0], words[1], select), __byte_perm(words[1], words[2], select),
      __byte_perm(words[2], words[3], select), __byte_perm(words[3], words[4], select));
}

/// Turns a square of 4 x 4 bytes: byte j of word i becomes byte i of word j.
ONEFOLD_DEVICE void turn_square(std::uint32_t (&words)[4]) {
  const std::uint32_t low01 = __byte_perm(words[0], words[1], 0x5140);
  const std::uint32_t low23 = __byte_perm(words[2], words[3], 0x5140);
  const std::uint32_t high01 = __byte_perm(words[0], words[1], 0x7362);
  const std::uint32_t high23 = __byte_perm(words[2], words[3], 0x7362);
  words[0] = __byte_perm(low01, low23, 0x5410);
  words[1] = __byte_perm(low01, low23, 0x7632);
  words[2] = __byte_perm(high01, high23, 0x5410);
  words[3] = __byte_perm(high01, high23, 0x7632);
}

}  // namespace onefold::cuda
