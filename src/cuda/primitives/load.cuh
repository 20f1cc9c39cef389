// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads of 16 bytes, and what the elements in them are.

#include "cuda/primitives/words.cuh"
#include "onefold/detail/float_format.hpp"

#include <type_traits>
#include <utility>

namespace onefold::cuda {

/// 16 bytes that no thread writes while the kernel runs, read once: not allocated in L1.
ONEFOLD_DEVICE uint4 load_vector(const void* at) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  return *static_cast<const uint4*>(at);
#else
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(at));
  return v;
#endif
}

/// 16 bytes of elements of 8 bytes: as halves they would be put together by copies.
struct word_pair {
  std::uint64_t x, y;
};

template <class T>
using vector_of = std::conditional_t<sizeof(T) == 8, word_pair, uint4>;

/// load_vector in the form of the elements.
template <class T>
ONEFOLD_DEVICE vector_of<T> load_items(const T* at) {
  if constexpr (sizeof(T) < 8) {
    return load_vector(at);
  } else {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
    const uint4 v = load_vector(at);
    return {std::uint64_t(v.y) << 32 | v.x, std::uint64_t(v.w) << 32 | v.z};
#else
    word_pair v;
    asm("ld.global.nc.L1::no_allocate.v2.u64 {%0, %1}, [%2];" : "=l"(v.x), "=l"(v.y) : "l"(at));
    return v;
#endif
  }
}

/// The same of 16 bytes in shared memory.
template <class T>
ONEFOLD_DEVICE vector_of<T> load_copied(const std::int64_t* at) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  const auto low = std::uint64_t(at[0]), high = std::uint64_t(at[1]);
  if constexpr (sizeof(T) == 8)
    return {low, high};
  else
    return make_uint4(std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high),
                      std::uint32_t(high >> 32));
#else
  if constexpr (sizeof(T) == 8) {
    const auto pair = *reinterpret_cast<const ulonglong2*>(at);
    return {pair.x, pair.y};
  } else {
    return *reinterpret_cast<const uint4*>(at);
  }
#endif
}

/// Entry k % 32 of a table in shared memory, at a multiple of 256 bytes: no addition for its place.
ONEFOLD_DEVICE std::uint64_t entry_of_32(const std::uint64_t* table, std::uint32_t k) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  return table[k % 32];
#else
  std::uint64_t entry;
  asm("ld.shared.b64 %0, [%1];"
      : "=l"(entry)
      : "r"((k << 3 & 0xF8) | unsigned(__cvta_generic_to_shared(table))));
  return entry;
#endif
}

template <class T>
inline constexpr int vector_items = int(16 / sizeof(T));

template <int I>
ONEFOLD_DEVICE std::uint32_t word_of(const uint4& v) {
  static_assert(0 <= I && I < 4);
  return I == 0 ? v.x : I == 1 ? v.y : I == 2 ? v.z : v.w;
}

/// The bits of element I of a vector.
template <class T, int I>
ONEFOLD_DEVICE std::uint64_t bits_in(const word_pair& v) {
  static_assert(sizeof(T) == 8);
  return I == 0 ? v.x : v.y;
}
template <class T, int I>
ONEFOLD_DEVICE auto bits_in(const uint4& v) {
  if constexpr (sizeof(T) == 8)
    return std::uint64_t(word_of<2 * I + 1>(v)) << 32 | word_of<2 * I>(v);
  else if constexpr (sizeof(T) == 4)
    return word_of<I>(v);
  else if constexpr (sizeof(T) == 2)
    return std::uint16_t(word_of<I / 2>(v) >> 16 * (I % 2));
  else
    return std::uint8_t(word_of<I / 4>(v) >> 8 * (I % 4));
}

template <class T, class Take, int... I>
ONEFOLD_DEVICE void for_items(const vector_of<T>& x, const vector_of<T>& y, const Take& take,
                              std::integer_sequence<int, I...>) {
  (take(bits_in<T, I>(x), bits_in<T, I>(y)), ...);
}
/// take(bits of x, bits of y) for each element of two vectors.
template <class T, class Take>
ONEFOLD_DEVICE void for_each_item(const vector_of<T>& x, const vector_of<T>& y, const Take& take) {
  for_items<T>(x, y, take, std::make_integer_sequence<int, vector_items<T>>());
}

/// An element as its bits, unsigned.
template <class T>
ONEFOLD_DEVICE auto bits_at(const T* at) {
  if constexpr (std::is_integral_v<T>)
    return std::make_unsigned_t<T>(*at);
  else
    return detail::to_bits(*at);
}

/// The same 16 bytes from an address that is aligned to the element alone.
template <class T>
ONEFOLD_DEVICE vector_of<T> load_elements(const T* at) {
  if constexpr (sizeof(T) == 8) {
    return {bits_at(at), bits_at(at + 1)};
  } else {
    std::uint32_t words[4] = {0, 0, 0, 0};
    ONEFOLD_UNROLL
    for (int i = 0; i < vector_items<T>; ++i) {
      const int byte = i * int(sizeof(T));
      words[byte / 4] |= std::uint32_t(bits_at(at + i)) << 8 * (byte % 4);
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
  }
}

/// A binary16 as a float: exact. Of a NaN some NaN.
ONEFOLD_DEVICE float float_of_half(std::uint16_t bits) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  const std::uint32_t magnitude = std::uint32_t(bits & 0x7FFF) << 13;
  const std::uint32_t sign = std::uint32_t(bits & 0x8000) << 16;
  if (magnitude >= 0x0F800000) return __builtin_bit_cast(float, magnitude | 0x7F800000u | sign);
  // 112 is what the biases differ by: subnormals become normal, exactly.
  const float value = __builtin_bit_cast(float, magnitude) * 0x1p112f;
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, value) | sign);
#else
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#endif
}

/// A float to nearest even in binary16. Precondition: no NaN.
ONEFOLD_DEVICE std::uint16_t half_of_float(float x) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
  if (magnitude >= 0x477FF000) return std::uint16_t(sign | 0x7C00);
  const int field = int(magnitude >> 23), shift = field < 113 ? 126 - field : 13;
  if (shift > 24) return std::uint16_t(sign);
  const std::uint32_t whole = (magnitude & 0x7FFFFF) | 0x800000;
  const std::uint32_t kept = whole >> shift, rest = whole & ((1u << shift) - 1);
  const std::uint32_t half = 1u << (shift - 1);
  const std::uint32_t up = rest > half || (rest == half && (kept & 1) != 0);
  const std::uint32_t exponent = field < 113 ? 0 : std::uint32_t(field - 113) << 10;
  return std::uint16_t(sign | (exponent + kept + up));
#else
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#endif
}

/// A binary16 or bfloat16 as a float: exact. Of a NaN some NaN.
template <class T>
ONEFOLD_DEVICE float float_of(std::uint16_t bits) {
  if constexpr (std::is_same_v<T, f16>) return float_of_half(bits);
  return __builtin_bit_cast(float, std::uint32_t(bits) << 16);
}

/// An element as a double or, of at most 32 bits, a float: exact. Of a NaN some NaN.
template <class T>
ONEFOLD_DEVICE auto number_of(typename detail::float_format<T>::bits bits) {
  if constexpr (sizeof(T) == 2)
    return float_of<T>(bits);
  else
    return detail::from_bits<T>(bits);
}

/// The same as a double.
template <class T>
ONEFOLD_DEVICE double double_of(typename detail::float_format<T>::bits bits) {
  return double(number_of<T>(bits));
}

}  // namespace onefold::cuda
