// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of integers, of any order of factors.

#include "cuda/primitives/words.cuh"
#include "onefold/detail/integer_dot.hpp"

#include <type_traits>

namespace onefold::cuda {

/// The product of the factors that are not zero: its magnitude modulo 2^64, and the notes.
struct integer_product {
  enum : int { zero = 1, negative = 2, beyond = 4 };
  static constexpr int words = 2;
  std::uint64_t magnitude = 1;
  int notes = 0;

  ONEFOLD_DEVICE void multiply(std::uint64_t factor, int notes_of_factor) {
    const detail::wide_product both = detail::multiply(magnitude, factor);
    magnitude = both.low;
    notes = ((notes ^ notes_of_factor) & negative) | ((notes | notes_of_factor) & ~negative) |
            (both.high != 0 ? int(beyond) : 0);
  }
  template <class T>
  ONEFOLD_DEVICE void take(T x) {
    bool below = false;
    if constexpr (std::is_signed_v<T>) below = x < 0;
    take(below ? std::uint64_t(0) - std::uint64_t(x) : std::uint64_t(x), below);
  }
  ONEFOLD_DEVICE void take(std::uint64_t size, bool below) {
    multiply(size == 0 ? 1 : size, size == 0 ? int(zero) : below ? int(negative) : 0);
  }
};

}  // namespace onefold::cuda
