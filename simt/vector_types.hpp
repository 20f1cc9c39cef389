// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA's vector types: its layout, its alignment, and one access for a whole vector.
//
// Compilers split the copy of a struct of four words into four accesses of one word, and a kernel
// that loads 16 bytes a lane would be counted as four requests. So copies are written out and
// announce themselves as one. They are inlined, and locate() (symbols.hpp) passes over the lines of
// this header. Single components stay single accesses.

#include "simt/lane_calls.hpp"

#if !defined(__CUDACC__)

#define ONEFOLD_COPIES_AS_ONE(name)                                                                \
  name() = default;                                                                                \
  __forceinline__ name(const name& from) noexcept {                                                \
    ::onefold::simt::copy_as_one(nullptr, this, &from, sizeof(name));                              \
  }                                                                                                \
  __forceinline__ name& operator=(const name& from) noexcept {                                     \
    ::onefold::simt::copy_as_one(nullptr, this, &from, sizeof(name));                              \
    return *this;                                                                                  \
  }

#define ONEFOLD_VECTOR2(name, T)                                                                   \
  struct alignas(2 * sizeof(T)) name {                                                             \
    T x, y;                                                                                        \
    __forceinline__ constexpr name(T x0, T y0) noexcept : x(x0), y(y0) {}                          \
    ONEFOLD_COPIES_AS_ONE(name)                                                                    \
  };                                                                                               \
  __forceinline__ constexpr name make_##name(T x, T y) noexcept {                                  \
    return {x, y};                                                                                 \
  }
// Three components are no one access on a device either.
#define ONEFOLD_VECTOR3(name, T)                                                                   \
  struct name {                                                                                    \
    T x, y, z;                                                                                     \
  };                                                                                               \
  __forceinline__ constexpr name make_##name(T x, T y, T z) noexcept {                             \
    return {x, y, z};                                                                              \
  }
#define ONEFOLD_VECTOR4(name, T)                                                                   \
  struct alignas(4 * sizeof(T)) name {                                                             \
    T x, y, z, w;                                                                                  \
    __forceinline__ constexpr name(T x0, T y0, T z0 = {}, T w0 = {}) noexcept                      \
        : x(x0), y(y0), z(z0), w(w0) {}                                                            \
    ONEFOLD_COPIES_AS_ONE(name)                                                                    \
  };                                                                                               \
  __forceinline__ constexpr name make_##name(T x, T y, T z, T w) noexcept {                        \
    return {x, y, z, w};                                                                           \
  }

ONEFOLD_VECTOR3(char3, signed char)
ONEFOLD_VECTOR3(uchar3, unsigned char)
ONEFOLD_VECTOR3(short3, short)
ONEFOLD_VECTOR3(ushort3, unsigned short)
ONEFOLD_VECTOR3(int3, int)
ONEFOLD_VECTOR3(float3, float)
ONEFOLD_VECTOR3(double3, double)
ONEFOLD_VECTOR2(char2, signed char)
ONEFOLD_VECTOR4(char4, signed char)
ONEFOLD_VECTOR2(uchar2, unsigned char)
ONEFOLD_VECTOR4(uchar4, unsigned char)
ONEFOLD_VECTOR2(short2, short)
ONEFOLD_VECTOR4(short4, short)
ONEFOLD_VECTOR2(ushort2, unsigned short)
ONEFOLD_VECTOR4(ushort4, unsigned short)
ONEFOLD_VECTOR2(int2, int)
ONEFOLD_VECTOR4(int4, int)
ONEFOLD_VECTOR2(uint2, unsigned)
ONEFOLD_VECTOR4(uint4, unsigned)
ONEFOLD_VECTOR2(longlong2, long long)
ONEFOLD_VECTOR2(ulonglong2, unsigned long long)
ONEFOLD_VECTOR2(float2, float)
ONEFOLD_VECTOR4(float4, float)
ONEFOLD_VECTOR2(double2, double)

#undef ONEFOLD_COPIES_AS_ONE
#undef ONEFOLD_VECTOR2
#undef ONEFOLD_VECTOR3
#undef ONEFOLD_VECTOR4

#endif
