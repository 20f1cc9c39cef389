// SPDX-License-Identifier: Apache-2.0
#pragma once
// The least and the largest of a few vectors, as places in the order of the elements.
//
// The place of an element is a signed integer: integers are their own, moved where they have no
// sign; of floats it is the bits, all but the sign flipped for negative ones. That is IEEE's total
// order: -0 is just before +0, and NaNs lie beyond the infinities, so that whether there is one
// shows at the ends. Elements of 8 and 16 bits are compared two at a time, as signed halves of a
// word.

#include "cuda/parts/cuda_compat.cuh"

#include <cstdint>
#include <type_traits>

#include "cuda/parts/vectors.cuh"
#include "onefold/detail/float_format.hpp"

namespace onefold::cuda::folds {

#if defined(__CUDACC__)
__device__ __forceinline__ unsigned min_of_halves(unsigned a, unsigned b) {
  return __vmins2(a, b);
}
__device__ __forceinline__ unsigned max_of_halves(unsigned a, unsigned b) {
  return __vmaxs2(a, b);
}
#else
ONEFOLD_UNCOUNTED static inline unsigned pick_halves(unsigned a, unsigned b, bool largest) {
  const auto low_a = std::int16_t(a), low_b = std::int16_t(b);
  const auto high_a = std::int16_t(a >> 16), high_b = std::int16_t(b >> 16);
  const auto low = std::uint16_t((low_a < low_b) != largest ? low_a : low_b);
  const auto high = std::uint16_t((high_a < high_b) != largest ? high_a : high_b);
  return unsigned(high) << 16 | low;
}
ONEFOLD_UNCOUNTED static inline unsigned min_of_halves(unsigned a, unsigned b) {
  return pick_halves(a, b, false);
}
ONEFOLD_UNCOUNTED static inline unsigned max_of_halves(unsigned a, unsigned b) {
  return pick_halves(a, b, true);
}
#endif

/// The integers that places are kept in.
template <class T>
using place_type = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <class T>
inline constexpr auto largest_place = place_type<T>(~std::uint64_t(0) >>
                                                    (65 - 8 * sizeof(place_type<T>)));

template <class T>
inline constexpr bool is_float = !std::is_integral_v<T>;

/// The place of an element of key 0; u64 is its own, because its keys have their top bit flipped.
template <class T>
inline constexpr std::int64_t zero_place = std::is_same_v<T, std::uint32_t>
                                               ? -(std::int64_t(1) << 31)
                                           : std::is_same_v<T, std::uint16_t> ? -(1 << 15)
                                           : std::is_same_v<T, std::int8_t>   ? 128
                                                                              : 0;

template <class T>
__device__ __forceinline__ place_type<T> place_of(bits_of<T> bits) {
  using place = place_type<T>;
  if constexpr (is_float<T>) {
    const auto sign_extended = place(std::make_signed_t<bits_of<T>>(bits));
    constexpr auto magnitude = place(detail::float_format<T>::sign_bit - 1);
    return sign_extended ^ (sign_extended >> (8 * sizeof(place) - 1) & magnitude);
  } else if constexpr (std::is_same_v<T, bool>) {
    return bits != 0;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return place(bits ^ std::uint64_t(1) << 63);
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return place(bits ^ 0x80);
  } else if constexpr (std::is_signed_v<T>) {
    return place(std::make_signed_t<bits_of<T>>(bits));
  } else {
    return place(std::int64_t(bits) + zero_place<T>);
  }
}

/// The bits of the element at a place; of floats both ways are the same.
template <class T>
__device__ __forceinline__ bits_of<T> bits_of_place(place_type<T> place) {
  if constexpr (is_float<T> || std::is_same_v<T, std::uint64_t>)
    return bits_of<T>(place_of<T>(bits_of<T>(place)));
  else
    return bits_of<T>(place - place_type<T>(zero_place<T>));
}

/// The key of a place: what the state of extrema holds. Both zeros have the key 0.
template <class T>
__device__ __forceinline__ std::int64_t key_of_place(place_type<T> place) {
  if constexpr (is_float<T>)
    return place < 0 ? std::int64_t(place) + 1 : std::int64_t(place);
  else
    return std::int64_t(place) - zero_place<T>;
}

/// Whether a place is that of a NaN.
template <class T>
__device__ __forceinline__ bool is_nan_place(place_type<T> place) {
  if constexpr (is_float<T>) {
    constexpr auto infinity = place_type<T>(detail::float_format<T>::infinity);
    return place > infinity || place < ~infinity;
  } else {
    return false;
  }
}

/// The ends of a few elements of 32 and 64 bits.
template <class T>
struct ends {
  using place = place_type<T>;
  place least = largest_place<T>, largest = ~largest_place<T>;

  __device__ __forceinline__ void take(const uint4& v) {
    for (unsigned j = 0; j < vector_items<T>; ++j) {
      const place next = place_of<T>(element_bits<T>(v, j));
      least = min(least, next), largest = max(largest, next);
    }
  }
  __device__ __forceinline__ place lowest() const { return least; }
  __device__ __forceinline__ place highest() const { return largest; }
};

/// The ends of a few elements of 8 and 16 bits: two of each, in the halves of a word.
template <class T>
requires(sizeof(T) <= 2) struct ends<T> {
  unsigned least = 0x7FFF7FFF, largest = 0x80008000;

  __device__ __forceinline__ void take(const uint4& v) {
    take_word(v.x), take_word(v.y), take_word(v.z), take_word(v.w);
  }
  __device__ __forceinline__ int lowest() const {
    return place(min(int(std::int16_t(least)), int(least) >> 16));
  }
  __device__ __forceinline__ int highest() const {
    return place(max(int(std::int16_t(largest)), int(largest) >> 16));
  }

 private:
  // Of booleans any byte but 0 is 1, and so are the ends of such bytes.
  __device__ __forceinline__ static int place(int end) {
    return std::is_same_v<T, bool> ? min(end, 1) : end;
  }
  __device__ __forceinline__ void take_word(unsigned word) {
    if constexpr (std::is_same_v<T, std::int8_t>) word ^= 0x80808080;
    if constexpr (sizeof(T) == 1) {
      take_halves(__byte_perm(word, 0, 0x4240));
      take_halves(__byte_perm(word, 0, 0x4341));
    } else if constexpr (is_float<T>) {
      const unsigned signs = word & 0x80008000;
      take_halves(word ^ (signs - (signs >> 15)));
    } else {
      take_halves(std::is_signed_v<T> ? word : word ^ 0x80008000);
    }
  }
  __device__ __forceinline__ void take_halves(unsigned places) {
    least = min_of_halves(least, places), largest = max_of_halves(largest, places);
  }
};

}  // namespace onefold::cuda::folds
