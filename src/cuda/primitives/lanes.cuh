// SPDX-License-Identifier: Apache-2.0
#pragma once
// What chunks of reductions share whose order is part of their bits.

#include "cuda/primitives/load.cuh"
#include "cuda/primitives/vectors.cuh"
#include "cuda/primitives/warp.cuh"
#include "state/accumulator.hpp"

namespace onefold::cuda {

/// Of a chunk of a reduction whose order is part of its bits: the term of element i goes to virtual
/// lane i mod 64, in the order of i; then the lanes fold by halves.
inline constexpr unsigned virtual_lanes = 64;

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
