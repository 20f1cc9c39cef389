// SPDX-License-Identifier: Apache-2.0
#pragma once
// What chunks of reductions share whose order is part of their bits.

#include "cuda/parts/words.cuh"

namespace onefold::cuda {

/// Of a chunk of a reduction whose order is part of its bits: the term of element i goes to virtual
/// lane i mod 64, in the order of i; then the lanes fold by halves.
inline constexpr unsigned virtual_lanes = 64;

template <class Number>
ONEFOLD_DEVICE std::int64_t word_of_number(Number x) {
  return std::int64_t(__builtin_bit_cast(std::uint64_t, double(x)));
}

}  // namespace onefold::cuda
