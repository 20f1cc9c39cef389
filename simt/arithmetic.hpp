// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arithmetic words: minima, fused and rounded operations, bit casts, bit counts.
//
// A select on the device may be a branch on the host, so each is out of line and unseen. Kernel
// units are compiled with -ffp-contract=off: a plain operation is one correctly rounded operation,
// as the _rn words are on the device.

#include "simt/directed.hpp"
#include "simt/lane_calls.hpp"

#include <math.h>  // fma, fmaf, sqrtf, ... without std::, as kernels write them

#if !defined(__CUDACC__)

#define ONEFOLD_FUNCTION(R, name, parameters, result)                                              \
  ONEFOLD_WORD R name parameters noexcept {                                                        \
    return result;                                                                                 \
  }

#define ONEFOLD_MIN_MAX(R, A, B)                                                                   \
  ONEFOLD_WORD R min(A a, B b) noexcept {                                                          \
    const R x = static_cast<R>(a), y = static_cast<R>(b);                                          \
    return y < x ? y : x;                                                                          \
  }                                                                                                \
  ONEFOLD_WORD R max(A a, B b) noexcept {                                                          \
    const R x = static_cast<R>(a), y = static_cast<R>(b);                                          \
    return x < y ? y : x;                                                                          \
  }
#define ONEFOLD_MIN_MAX_INTEGER(S, U)                                                              \
  ONEFOLD_MIN_MAX(S, S, S)                                                                         \
  ONEFOLD_MIN_MAX(U, U, U)                                                                         \
  ONEFOLD_MIN_MAX(U, S, U)                                                                         \
  ONEFOLD_MIN_MAX(U, U, S)
ONEFOLD_MIN_MAX_INTEGER(int, unsigned)
ONEFOLD_MIN_MAX_INTEGER(long, unsigned long)
ONEFOLD_MIN_MAX_INTEGER(long long, unsigned long long)
// Of a NaN and a number, the number.
ONEFOLD_FUNCTION(float, min, (float a, float b), __builtin_fminf(a, b))
ONEFOLD_FUNCTION(float, max, (float a, float b), __builtin_fmaxf(a, b))
ONEFOLD_FUNCTION(double, min, (double a, double b), __builtin_fmin(a, b))
ONEFOLD_FUNCTION(double, max, (double a, double b), __builtin_fmax(a, b))
ONEFOLD_FUNCTION(double, min, (float a, double b), __builtin_fmin(a, b))
ONEFOLD_FUNCTION(double, max, (float a, double b), __builtin_fmax(a, b))
ONEFOLD_FUNCTION(double, min, (double a, float b), __builtin_fmin(a, b))
ONEFOLD_FUNCTION(double, max, (double a, float b), __builtin_fmax(a, b))

ONEFOLD_FUNCTION(float, __fmaf_rn, (float a, float b, float c), __builtin_fmaf(a, b, c))
ONEFOLD_FUNCTION(double, __fma_rn, (double a, double b, double c), __builtin_fma(a, b, c))
ONEFOLD_FUNCTION(float, __fadd_rn, (float a, float b), a + b)
ONEFOLD_FUNCTION(float, __fsub_rn, (float a, float b), a - b)
ONEFOLD_FUNCTION(float, __fmul_rn, (float a, float b), a* b)
ONEFOLD_FUNCTION(float, __fdiv_rn, (float a, float b), a / b)
ONEFOLD_FUNCTION(double, __dadd_rn, (double a, double b), a + b)
ONEFOLD_FUNCTION(double, __dsub_rn, (double a, double b), a - b)
ONEFOLD_FUNCTION(double, __dmul_rn, (double a, double b), a* b)
ONEFOLD_FUNCTION(double, __ddiv_rn, (double a, double b), a / b)

ONEFOLD_FUNCTION(double, __dadd_ru, (double a, double b), ::onefold::simt::directed_sum(a, b, true))
ONEFOLD_FUNCTION(double, __dadd_rd, (double a, double b),
                 ::onefold::simt::directed_sum(a, b, false))
ONEFOLD_FUNCTION(double, __dmul_ru, (double a, double b),
                 ::onefold::simt::directed_product(a, b, true))
ONEFOLD_FUNCTION(double, __dmul_rd, (double a, double b),
                 ::onefold::simt::directed_product(a, b, false))
ONEFOLD_FUNCTION(double, __fma_ru, (double a, double b, double c),
                 ::onefold::simt::directed_fma(a, b, c, true))
ONEFOLD_FUNCTION(double, __ddiv_ru, (double a, double b),
                 ::onefold::simt::directed_quotient(a, b, true))
ONEFOLD_FUNCTION(double, __ddiv_rd, (double a, double b),
                 ::onefold::simt::directed_quotient(a, b, false))
ONEFOLD_FUNCTION(double, __dsqrt_rn, (double a), __builtin_sqrt(a))
ONEFOLD_FUNCTION(double, __dsqrt_ru, (double a), ::onefold::simt::directed_root(a, true))
ONEFOLD_FUNCTION(double, __dsqrt_rd, (double a), ::onefold::simt::directed_root(a, false))
ONEFOLD_FUNCTION(float, __fadd_ru, (float a, float b),
                 ::onefold::simt::directed_float(::onefold::simt::directed_sum(a, b, true), true))
ONEFOLD_FUNCTION(float, rsqrtf, (float a), static_cast<float>(1 / __builtin_sqrt(a)))
ONEFOLD_FUNCTION(float, __double2float_rn, (double a), static_cast<float>(a))
ONEFOLD_FUNCTION(float, __double2float_ru, (double a), ::onefold::simt::directed_float(a, true))
ONEFOLD_FUNCTION(float, __double2float_rd, (double a), ::onefold::simt::directed_float(a, false))
ONEFOLD_FUNCTION(float, __double2float_rz, (double a), ::onefold::simt::directed_float(a, a < 0))

ONEFOLD_FUNCTION(int, __float_as_int, (float a), __builtin_bit_cast(int, a))
ONEFOLD_FUNCTION(float, __int_as_float, (int a), __builtin_bit_cast(float, a))
ONEFOLD_FUNCTION(unsigned, __float_as_uint, (float a), __builtin_bit_cast(unsigned, a))
ONEFOLD_FUNCTION(float, __uint_as_float, (unsigned a), __builtin_bit_cast(float, a))
ONEFOLD_FUNCTION(long long, __double_as_longlong, (double a), __builtin_bit_cast(long long, a))
ONEFOLD_FUNCTION(double, __longlong_as_double, (long long a), __builtin_bit_cast(double, a))

// The builtins are undefined for 0; CUDA's words are not.
ONEFOLD_FUNCTION(int, __clz, (int a), a == 0 ? 32 : __builtin_clz(static_cast<unsigned>(a)))
ONEFOLD_FUNCTION(int, __clzll, (long long a),
                 a == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(a)))
ONEFOLD_FUNCTION(int, __ffs, (int a), __builtin_ffs(a))
ONEFOLD_FUNCTION(int, __ffsll, (long long a), __builtin_ffsll(a))
ONEFOLD_FUNCTION(int, __popc, (unsigned a), __builtin_popcount(a))
ONEFOLD_FUNCTION(int, __popcll, (unsigned long long a), __builtin_popcountll(a))

#undef ONEFOLD_FUNCTION
#undef ONEFOLD_MIN_MAX
#undef ONEFOLD_MIN_MAX_INTEGER

/// The bits in reverse order.
ONEFOLD_WORD unsigned __brev(unsigned a) noexcept {
  unsigned reversed = 0;
  for (unsigned i = 0; i < 32; ++i) reversed |= (a >> i & 1) << (31 - i);
  return reversed;
}

/// Four of the eight bytes of (y, x), each chosen by three bits of a selector's digit; the fourth
/// bit spreads the byte's sign instead.
ONEFOLD_WORD unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors) noexcept {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned selector = selectors >> (4 * i);
    const auto byte = static_cast<unsigned>(bytes >> (8 * (selector & 7)) & 0xFF);
    result |= ((selector & 8) == 0 ? byte : (byte >> 7) * 0xFF) << (8 * i);
  }
  return result;
}

#endif
