// SPDX-License-Identifier: Apache-2.0
// What -fsanitize=thread makes of the atomic operations of a program's host code, as in a
// shared_ptr, and of the guard of a static array of a class (__shared__ float4 tile[32]): plain
// atomic operations again. Kernels have CUDA's own (simt/atomics.hpp).
//
// The order that a caller asks for is the last argument; the strongest serves them all.

#include <cstdint>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {

#define ONEFOLD_FETCH(bits, T, name)                                                               \
  T __tsan_atomic##bits##_fetch_##name(volatile T* at, T value, int) {                             \
    return __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST);                                     \
  }

#define ONEFOLD_COMPARE(bits, T, strength, weak)                                                   \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile T* at, T* expected, T value, int, \
                                                        int) {                                     \
    return __atomic_compare_exchange_n(at, expected, value, weak, __ATOMIC_SEQ_CST,                \
                                       __ATOMIC_SEQ_CST);                                          \
  }

#define ONEFOLD_ATOMICS(bits, T)                                                                   \
  T __tsan_atomic##bits##_load(const volatile T* at, int) {                                        \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* at, T value, int) {                                 \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                                \
  T __tsan_atomic##bits##_exchange(volatile T* at, T value, int) {                                 \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                       \
  }                                                                                                \
  ONEFOLD_FETCH(bits, T, add)                                                                      \
  ONEFOLD_FETCH(bits, T, sub)                                                                      \
  ONEFOLD_FETCH(bits, T, and)                                                                      \
  ONEFOLD_FETCH(bits, T, or)                                                                       \
  ONEFOLD_FETCH(bits, T, xor)                                                                      \
  ONEFOLD_FETCH(bits, T, nand)                                                                     \
  ONEFOLD_COMPARE(bits, T, strong, false)                                                          \
  ONEFOLD_COMPARE(bits, T, weak, true)                                                             \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* at, T expected, T value, int, int) {    \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
    return expected;                                                                               \
  }

ONEFOLD_ATOMICS(8, std::uint8_t)
ONEFOLD_ATOMICS(16, std::uint16_t)
ONEFOLD_ATOMICS(32, std::uint32_t)
ONEFOLD_ATOMICS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
}
#pragma GCC diagnostic pop
