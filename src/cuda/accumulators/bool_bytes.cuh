// SPDX-License-Identifier: Apache-2.0
#pragma once
// Booleans: a byte is 1 where it is not 0, whatever it is.

#include <type_traits>

#include "cuda/accumulators/integer_terms.cuh"
#include "onefold/dtype.hpp"

namespace onefold::cuda {

/// A boolean in memory.
struct bool_byte {
  std::uint8_t byte;
};

/// 1 for each byte that is not 0. No sum carries into the next byte: the largest is 0x7F + 0x7F.
ONEFOLD_DEVICE std::uint32_t bool_bytes_of(std::uint32_t bytes) {
  return (((bytes & 0x7F7F7F7F) + 0x7F7F7F7F) | bytes) >> 7 & 0x01010101;
}
ONEFOLD_DEVICE std::uint8_t bits_at(const bool_byte* at) {
  return at->byte != 0;
}

/// As those of bytes. add() gets bytes of bits_at, or as they lie in a vector.
template <accumulator Accumulator>
struct integer_terms<Accumulator, bool_byte> : integer_terms<Accumulator, std::uint8_t> {
  using of_bytes = integer_terms<Accumulator, std::uint8_t>;
  using element = bool_byte;

  ONEFOLD_DEVICE static void add(std::uint8_t a, std::uint8_t b, typename of_bytes::counts& to) {
    of_bytes::add(a != 0, b != 0, to);
  }
  ONEFOLD_DEVICE static std::uint32_t add_bytes(std::uint32_t a, std::uint32_t b,
                                                std::uint32_t to) {
    return of_bytes::add_bytes(bool_bytes_of(a), bool_bytes_of(b), to);
  }
};

/// Calls f(tag<T>) with the type that the loops read integers as; of others the answer is Made{}.
template <class Made, class F>
Made with_integer(dtype type, F&& f) {
  return with_type(type, [&]<class T>(detail::tag<T>) -> Made {
    if constexpr (std::is_same_v<T, bool>)
      return f(detail::tag<bool_byte>{});
    else if constexpr (std::is_integral_v<T>)
      return f(detail::tag<T>{});
    else
      return {};
  });
}

}  // namespace onefold::cuda
