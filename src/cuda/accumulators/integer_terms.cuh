// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an exact sum of integers adds for each element or pair, in the 64-bit counters of a lane.
//
// Counter k counts units of 2^(32 k). Sums of up to 32 bits and products of up to 16 need one;
// wider ones are cut into 32-bit parts, of which the last has the sign. A lane's counter has room
// for 2^31 parts. Bytes are summed four at a time, by dot products that a tile cannot overflow.

#include "cuda/primitives/load.cuh"
#include "cuda/primitives/warp.cuh"
#include "onefold/detail/integer_dot.hpp"
#include "state/accumulator.hpp"

#include <type_traits>

namespace onefold::cuda {

/// c + the sum of the four products of bytes.
template <bool Signed>
ONEFOLD_DEVICE std::uint32_t dot_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#if defined(ONEFOLD_PLAIN_DEVICE_CODE)
  for (int shift = 0; shift < 32; shift += 8) {
    const auto x = std::uint8_t(a >> shift), y = std::uint8_t(b >> shift);
    c += std::uint32_t(Signed ? std::int8_t(x) * std::int8_t(y) : x * y);
  }
  return c;
#else
  return Signed ? std::uint32_t(__dp4a(int(a), int(b), int(c))) : __dp4a(a, b, c);
#endif
}

template <accumulator Accumulator, class T>
struct integer_terms {
  using element = T;
  using bits = std::make_unsigned_t<T>;
  static constexpr bool pairs = Accumulator == accumulator::products;
  static constexpr bool has_products = pairs || Accumulator == accumulator::squares;
  using state = std::conditional_t<has_products, detail::integer_dot, detail::integer_sum>;
  static constexpr bool bytes = sizeof(T) == 1;
  /// Whether what is added up can be below zero.
  static constexpr bool is_signed = std::is_signed_v<element> &&
                                    Accumulator != accumulator::magnitudes &&
                                    Accumulator != accumulator::squares;
  static constexpr int vectors = pairs ? 2 : 4;
  static constexpr int items = vectors * vector_items<T>;
  static constexpr int limbs = has_products ? 6 : 4, words = limbs;
  static constexpr int counters = sizeof(T) == 8                   ? (has_products ? 4 : 2)
                                  : sizeof(T) == 4 && has_products ? 2
                                                                   : 1;
  using counts = std::int64_t[counters];

  /// Adds an element or pair.
  ONEFOLD_DEVICE static void add(bits a, bits b, counts& to) {
    if constexpr (!has_products) {
      const bits term = Accumulator == accumulator::magnitudes ? absolute(a) : a;
      if constexpr (sizeof(T) == 8)
        add_parts(term, to);
      else
        to[0] += is_signed ? std::int64_t(std::make_signed_t<bits>(term)) : std::int64_t(term);
    } else if constexpr (sizeof(T) == 8) {
      add_long_product(a, b, to);
    } else {
      const std::int64_t x = element(a), y = element(b);
      if constexpr (sizeof(T) == 4)  // of unsigned factors the product modulo 2^64 is its bits
        add_parts(std::uint64_t(x) * std::uint64_t(y), to);
      else
        to[0] += x * y;
    }
  }

  /// Four bytes at once into a count of 32 bits, whose sign is that of the terms.
  ONEFOLD_DEVICE static std::uint32_t add_bytes(std::uint32_t a, std::uint32_t b,
                                                std::uint32_t to) {
    constexpr bool minus = std::is_signed_v<element>;
    if constexpr (has_products) return dot_bytes<minus>(a, b, to);
    constexpr std::uint32_t ones = 0x01010101;
    if constexpr (minus && Accumulator == accumulator::magnitudes) {
      const std::uint32_t below = a >> 7 & ones;  // no byte carries: the largest is 0x7F + 1
      return dot_bytes<false>((a ^ below * 0xFF) + below, ones, to);
    }
    return dot_bytes<minus>(a, ones, to);
  }

 private:
  ONEFOLD_DEVICE static bits absolute(bits a) {
    if constexpr (std::is_signed_v<element>) return element(a) < 0 ? bits(~a + 1) : a;
    return a;
  }

  ONEFOLD_DEVICE static void add_parts(std::uint64_t term, counts& to) {
    to[0] += std::int64_t(term & 0xFFFFFFFF);
    to[1] += is_signed ? std::int64_t(term) >> 32 : std::int64_t(term >> 32);
  }

  ONEFOLD_DEVICE static void add_long_product(bits a, bits b, counts& to) {
    detail::wide_product p = detail::multiply(absolute(a), absolute(b));
    if (std::is_signed_v<element> && (element(a ^ b) < 0)) {
      p.high = ~p.high + (p.low == 0);
      p.low = ~p.low + 1;
    }
    to[0] += std::int64_t(p.low & 0xFFFFFFFF);
    to[1] += std::int64_t(p.low >> 32);
    to[2] += std::int64_t(p.high & 0xFFFFFFFF);
    to[3] += is_signed ? std::int64_t(p.high) >> 32 : std::int64_t(p.high >> 32);
  }
};

}  // namespace onefold::cuda
