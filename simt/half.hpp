// SPDX-License-Identifier: Apache-2.0
#pragma once
// __half and __nv_bfloat16, their pairs and the usual words of cuda_fp16.h and cuda_bf16.h.
//
// An operation is done in float and rounded once, which is the correctly rounded result of one sum,
// difference, product or quotient of two such values; a fused one is done in double.

#include "simt/half_bits.hpp"
#include "simt/lane_calls.hpp"

#if !defined(__CUDACC__)

#define ONEFOLD_HALF_TYPE(name, word)                                                              \
  struct name {                                                                                    \
    unsigned short bits;                                                                           \
    name() = default;                                                                              \
    __forceinline__ name(float from) noexcept;                                                     \
    __forceinline__ name(double from) noexcept : name(static_cast<float>(from)) {}                 \
    __forceinline__ name(int from) noexcept : name(static_cast<float>(from)) {}                    \
    __forceinline__ name(unsigned from) noexcept : name(static_cast<float>(from)) {}               \
    __forceinline__ operator float() const noexcept;                                               \
  };                                                                                               \
  ONEFOLD_WORD unsigned short onefold_##word##_bits(float value) noexcept {                        \
    return ::onefold::simt::word##_bits_of(value);                                                 \
  }                                                                                                \
  ONEFOLD_WORD float onefold_float_of_##word(unsigned short bits) noexcept {                       \
    return ::onefold::simt::float_of_##word##_bits(bits);                                          \
  }                                                                                                \
  __forceinline__ name::name(float from) noexcept : bits(onefold_##word##_bits(from)) {}           \
  __forceinline__ name::operator float() const noexcept {                                          \
    return onefold_float_of_##word(bits);                                                          \
  }

#define ONEFOLD_HALF_OPERATOR(T, sign)                                                             \
  __forceinline__ T operator sign(T a, T b) noexcept {                                             \
    return T(static_cast<float>(a) sign static_cast<float>(b));                                    \
  }                                                                                                \
  __forceinline__ T& operator sign##=(T& a, T b) noexcept {                                        \
    return a = a sign b;                                                                           \
  }
#define ONEFOLD_HALF_COMPARISON(T, sign)                                                           \
  __forceinline__ bool operator sign(T a, T b) noexcept {                                          \
    return static_cast<float>(a) sign static_cast<float>(b);                                       \
  }

#define ONEFOLD_HALF_WORDS(T, T2)                                                                  \
  ONEFOLD_HALF_OPERATOR(T, +)                                                                      \
  ONEFOLD_HALF_OPERATOR(T, -)                                                                      \
  ONEFOLD_HALF_OPERATOR(T, *)                                                                      \
  ONEFOLD_HALF_OPERATOR(T, /)                                                                      \
  ONEFOLD_HALF_COMPARISON(T, ==)                                                                   \
  ONEFOLD_HALF_COMPARISON(T, !=)                                                                   \
  ONEFOLD_HALF_COMPARISON(T, <)                                                                    \
  ONEFOLD_HALF_COMPARISON(T, <=)                                                                   \
  ONEFOLD_HALF_COMPARISON(T, >)                                                                    \
  ONEFOLD_HALF_COMPARISON(T, >=)                                                                   \
  __forceinline__ T operator-(T a) noexcept {                                                      \
    return T(-static_cast<float>(a));                                                              \
  }                                                                                                \
  struct alignas(4) T2 {                                                                           \
    T x, y;                                                                                        \
    T2() = default;                                                                                \
    __forceinline__ T2(T x0, T y0) noexcept : x(x0), y(y0) {}                                      \
    __forceinline__ T2(const T2& from) noexcept {                                                  \
      ::onefold::simt::copy_as_one(nullptr, this, &from, sizeof(T2));                              \
    }                                                                                              \
    __forceinline__ T2& operator=(const T2& from) noexcept {                                       \
      ::onefold::simt::copy_as_one(nullptr, this, &from, sizeof(T2));                              \
      return *this;                                                                                \
    }                                                                                              \
  };                                                                                               \
  __forceinline__ T __hadd(T a, T b) noexcept {                                                    \
    return a + b;                                                                                  \
  }                                                                                                \
  __forceinline__ T __hsub(T a, T b) noexcept {                                                    \
    return a - b;                                                                                  \
  }                                                                                                \
  __forceinline__ T __hmul(T a, T b) noexcept {                                                    \
    return a * b;                                                                                  \
  }                                                                                                \
  __forceinline__ T __hdiv(T a, T b) noexcept {                                                    \
    return a / b;                                                                                  \
  }                                                                                                \
  ONEFOLD_WORD T __hfma(T a, T b, T c) noexcept {                                                  \
    return T(static_cast<float>(                                                                   \
        __builtin_fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c))));      \
  }                                                                                                \
  ONEFOLD_WORD T __hmax(T a, T b) noexcept {                                                       \
    return T(__builtin_fmaxf(a, b));                                                               \
  }                                                                                                \
  ONEFOLD_WORD T __hmin(T a, T b) noexcept {                                                       \
    return T(__builtin_fminf(a, b));                                                               \
  }                                                                                                \
  __forceinline__ bool __hgt(T a, T b) noexcept {                                                  \
    return a > b;                                                                                  \
  }                                                                                                \
  __forceinline__ bool __hlt(T a, T b) noexcept {                                                  \
    return a < b;                                                                                  \
  }                                                                                                \
  __forceinline__ T2 operator+(T2 a, T2 b) noexcept {                                              \
    return T2(a.x + b.x, a.y + b.y);                                                               \
  }                                                                                                \
  __forceinline__ T2 operator*(T2 a, T2 b) noexcept {                                              \
    return T2(a.x * b.x, a.y * b.y);                                                               \
  }                                                                                                \
  __forceinline__ T2& operator+=(T2& a, T2 b) noexcept {                                           \
    return a = a + b;                                                                              \
  }                                                                                                \
  __forceinline__ T2& operator*=(T2& a, T2 b) noexcept {                                           \
    return a = a * b;                                                                              \
  }                                                                                                \
  __forceinline__ T2 __hadd2(T2 a, T2 b) noexcept {                                                \
    return T2(a.x + b.x, a.y + b.y);                                                               \
  }                                                                                                \
  __forceinline__ T2 __hmul2(T2 a, T2 b) noexcept {                                                \
    return T2(a.x * b.x, a.y * b.y);                                                               \
  }                                                                                                \
  __forceinline__ T2 __hfma2(T2 a, T2 b, T2 c) noexcept {                                          \
    return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                                       \
  }                                                                                                \
  ONEFOLD_WORD T atomicAdd(T* address, T value) noexcept {                                         \
    ::onefold::simt::atomic_access(ONEFOLD_HERE, address, sizeof(T), true);                        \
    const T old = *address;                                                                        \
    *address = old + value;                                                                        \
    return old;                                                                                    \
  }                                                                                                \
  ONEFOLD_HALF_SHUFFLE(T, T2, __shfl_sync, shuffle, int)                                           \
  ONEFOLD_HALF_SHUFFLE(T, T2, __shfl_up_sync, shuffle_up, unsigned)                                \
  ONEFOLD_HALF_SHUFFLE(T, T2, __shfl_down_sync, shuffle_down, unsigned)                            \
  ONEFOLD_HALF_SHUFFLE(T, T2, __shfl_xor_sync, shuffle_xor, int)

#define ONEFOLD_HALF_SHUFFLE(T, T2, name, word, argument_type)                                     \
  ONEFOLD_WORD T name(unsigned mask, T value, argument_type argument,                              \
                      int width = warpSize) noexcept {                                             \
    T got;                                                                                         \
    got.bits = static_cast<unsigned short>(::onefold::simt::warp_operation(                        \
        ONEFOLD_HERE,                                                                              \
        {::onefold::simt::warp_word::word, mask, value.bits, static_cast<int>(argument), width})); \
    return got;                                                                                    \
  }                                                                                                \
  ONEFOLD_WORD T2 name(unsigned mask, T2 value, argument_type argument,                            \
                       int width = warpSize) noexcept {                                            \
    const unsigned both = value.x.bits | unsigned{value.y.bits} << 16;                             \
    const auto got = static_cast<unsigned>(                                                        \
        ::onefold::simt::warp_operation(ONEFOLD_HERE, {::onefold::simt::warp_word::word, mask,     \
                                                       both, static_cast<int>(argument), width})); \
    T2 pair;                                                                                       \
    pair.x.bits = static_cast<unsigned short>(got);                                                \
    pair.y.bits = static_cast<unsigned short>(got >> 16);                                          \
    return pair;                                                                                   \
  }

// clang-format off
ONEFOLD_HALF_TYPE(__half, half)
ONEFOLD_HALF_TYPE(__nv_bfloat16, bfloat16)
ONEFOLD_HALF_WORDS(__half, __half2)
ONEFOLD_HALF_WORDS(__nv_bfloat16, __nv_bfloat162)
// clang-format on

using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

__forceinline__ __half __float2half(float a) noexcept {
  return __half(a);
}
__forceinline__ __half __float2half_rn(float a) noexcept {
  return __half(a);
}
__forceinline__ float __half2float(__half a) noexcept {
  return a;
}
__forceinline__ __half __int2half_rn(int a) noexcept {
  return __half(static_cast<float>(a));
}
__forceinline__ __half __low2half(__half2 a) noexcept {
  return a.x;
}
__forceinline__ __half __high2half(__half2 a) noexcept {
  return a.y;
}
__forceinline__ float __low2float(__half2 a) noexcept {
  return a.x;
}
__forceinline__ float __high2float(__half2 a) noexcept {
  return a.y;
}
__forceinline__ __half2 __halves2half2(__half a, __half b) noexcept {
  return __half2(a, b);
}
__forceinline__ __half2 make_half2(__half a, __half b) noexcept {
  return __half2(a, b);
}
__forceinline__ __half2 __half2half2(__half a) noexcept {
  return __half2(a, a);
}
__forceinline__ __half2 __float2half2_rn(float a) noexcept {
  return __half2(__half(a), __half(a));
}
__forceinline__ __half2 __floats2half2_rn(float a, float b) noexcept {
  return __half2(__half(a), __half(b));
}
__forceinline__ __half2 __float22half2_rn(float2 a) noexcept {
  return __half2(__half(a.x), __half(a.y));
}
__forceinline__ float2 __half22float2(__half2 a) noexcept {
  return make_float2(a.x, a.y);
}
__forceinline__ __nv_bfloat16 __float2bfloat16(float a) noexcept {
  return __nv_bfloat16(a);
}
__forceinline__ __nv_bfloat16 __float2bfloat16_rn(float a) noexcept {
  return __nv_bfloat16(a);
}
__forceinline__ float __bfloat162float(__nv_bfloat16 a) noexcept {
  return a;
}
__forceinline__ float2 __bfloat1622float2(__nv_bfloat162 a) noexcept {
  return make_float2(a.x, a.y);
}
__forceinline__ __nv_bfloat162 __float22bfloat162_rn(float2 a) noexcept {
  return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y));
}
__forceinline__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b) noexcept {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
__forceinline__ float __low2float(__nv_bfloat162 a) noexcept {
  return a.x;
}
__forceinline__ float __high2float(__nv_bfloat162 a) noexcept {
  return a.y;
}

#undef ONEFOLD_HALF_TYPE
#undef ONEFOLD_HALF_OPERATOR
#undef ONEFOLD_HALF_COMPARISON
#undef ONEFOLD_HALF_WORDS
#undef ONEFOLD_HALF_SHUFFLE

#endif
