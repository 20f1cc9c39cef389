// SPDX-License-Identifier: Apache-2.0
#pragma once
// Atomic operations on global and shared memory, for the types that CUDA has.
//
// Lanes take turns on one OS thread, so plain operations are atomic here; the executor learns that
// the access is an atomic one. Every word returns the value that was there before.

#include "simt/lane_calls.hpp"

#if !defined(__CUDACC__)

// `next` is what the operation stores, in terms of `old` and `value`.
#define ONEFOLD_ATOMIC(T, name, reads, next)                                                       \
  ONEFOLD_WORD T name(T* address, T value) noexcept {                                              \
    ::onefold::simt::atomic_access(ONEFOLD_HERE, address, sizeof(T), reads);                       \
    const T old = *address;                                                                        \
    *address = next;                                                                               \
    return old;                                                                                    \
  }
#define ONEFOLD_ATOMIC_INTEGER(T)                                                                  \
  ONEFOLD_ATOMIC(T, atomicExch, false, value)                                                      \
  ONEFOLD_ATOMIC(T, atomicMin, true, value < old ? value : old)                                    \
  ONEFOLD_ATOMIC(T, atomicMax, true, old < value ? value : old)                                    \
  ONEFOLD_ATOMIC(T, atomicAnd, true, old& value)                                                   \
  ONEFOLD_ATOMIC(T, atomicOr, true, old | value)                                                   \
  ONEFOLD_ATOMIC(T, atomicXor, true, old ^ value)
// Signed sums wrap, as on the device.
#define ONEFOLD_ATOMIC_SUM(T, U, name, sign)                                                       \
  ONEFOLD_ATOMIC(T, name, true, static_cast<T>(static_cast<U>(old) sign static_cast<U>(value)))
#define ONEFOLD_ATOMIC_CAS(T)                                                                      \
  ONEFOLD_WORD T atomicCAS(T* address, T compare, T value) noexcept {                              \
    ::onefold::simt::atomic_access(ONEFOLD_HERE, address, sizeof(T), true);                        \
    const T old = *address;                                                                        \
    if (old == compare) *address = value;                                                          \
    return old;                                                                                    \
  }

ONEFOLD_ATOMIC_INTEGER(int)
ONEFOLD_ATOMIC_INTEGER(unsigned)
ONEFOLD_ATOMIC_INTEGER(long long)
ONEFOLD_ATOMIC_INTEGER(unsigned long long)
ONEFOLD_ATOMIC(float, atomicExch, false, value)
ONEFOLD_ATOMIC_SUM(int, unsigned, atomicAdd, +)
ONEFOLD_ATOMIC_SUM(int, unsigned, atomicSub, -)
ONEFOLD_ATOMIC_SUM(unsigned, unsigned, atomicAdd, +)
ONEFOLD_ATOMIC_SUM(unsigned, unsigned, atomicSub, -)
ONEFOLD_ATOMIC_SUM(unsigned long long, unsigned long long, atomicAdd, +)
ONEFOLD_ATOMIC(float, atomicAdd, true, old + value)
ONEFOLD_ATOMIC(double, atomicAdd, true, old + value)
/// Counts to `value` and wraps to 0.
ONEFOLD_ATOMIC(unsigned, atomicInc, true, old >= value ? 0 : old + 1)
/// Counts down and wraps to `value`.
ONEFOLD_ATOMIC(unsigned, atomicDec, true, old == 0 || old > value ? value : old - 1)
ONEFOLD_ATOMIC_CAS(int)
ONEFOLD_ATOMIC_CAS(unsigned)
ONEFOLD_ATOMIC_CAS(unsigned long long)
ONEFOLD_ATOMIC_CAS(unsigned short)

#undef ONEFOLD_ATOMIC
#undef ONEFOLD_ATOMIC_INTEGER
#undef ONEFOLD_ATOMIC_SUM
#undef ONEFOLD_ATOMIC_CAS

#endif
