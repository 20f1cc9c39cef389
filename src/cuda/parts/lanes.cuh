// SPDX-License-Identifier: Apache-2.0
#pragma once
// What chunks of reductions share whose order is part of their bits.

#include "cuda/parts/load.cuh"
#include "cuda/parts/vectors.cuh"
#include "cuda/parts/warp.cuh"
#include "state/accumulator.hpp"

namespace onefold::cuda {

/// Of a chunk of a reduction whose order is part of its bits: the term of element i goes to virtual
/// lane i mod 64, in the order of i; then the lanes fold by halves.
inline constexpr unsigned virtual_lanes = 64;

/// The accumulator of a fast reduction.
template <class T>
using fast_number = std::conditional_t<std::is_integral_v<T> || sizeof(T) == 8, double, float>;

/// An element as a number of the accumulator's type: exact, but for 64-bit integers.
template <class T>
ONEFOLD_DEVICE fast_number<T> number_of(folds::bits_of<T> bits) {
  if constexpr (std::is_integral_v<T>)
    return double(T(bits));
  else if constexpr (std::is_same_v<T, f16>)
    return float_of_half(bits);
  else if constexpr (std::is_same_v<T, bf16>)
    return __builtin_bit_cast(float, std::uint32_t(bits) << 16);
  else
    return detail::from_bits<T>(bits);
}

/// The fold by halves of the virtual lanes `lane` and `lane + 32` of a warp, in every lane.
template <class Number>
ONEFOLD_DEVICE Number fold_rows(const Number (&sums)[2]) {
  Number sum = sums[0] + sums[1];
  for (unsigned step = warp_lanes / 2; step > 0; step /= 2)
    sum += __shfl_xor_sync(whole_warp, sum, step);
  return sum;
}

template <class Number>
ONEFOLD_DEVICE std::int64_t word_of_number(Number x) {
  return std::int64_t(__builtin_bit_cast(std::uint64_t, double(x)));
}

}  // namespace onefold::cuda
