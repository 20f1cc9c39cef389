// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/atomic: every element is folded onto one value, one atomic update each.
//
// The device adds in one step. For an operator that it does not have, a lane computes what the
// value should become and stores it only if nobody has changed the value meanwhile; otherwise it
// tries again from what it found. The updates of one word wait in one line, and their order is
// that of arrival. How many there are is the compiler's choice: nvcc adds up the ints of a warp
// first (REDUX) and sends one update a warp. Float additions are not associative, so each of the 32
// lanes sends its own, and 2^26 floats take many times as long as 2^26 ints. A float sum may
// also differ from run to run. This rung is the reason for all others: fold first, update last.

#include "ladder/operators.cuh"

#include <cstddef>
#include <type_traits>

namespace onefold::ladder {

/// The unsigned integer as wide as T, which is what a compare-and-swap takes.
template <class T>
using word_of = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

/// *total = fold(*total, value), as if at one instant.
template <class Operator, class T>
__device__ void fold_onto(T* total, T value) {
  if constexpr (std::is_same_v<Operator, sum<T>>) {
    atomicAdd(total, value);
  } else {
    using word = word_of<T>;
    word* const address = reinterpret_cast<word*>(total);
    // Swaps 0 for 0: a read that takes part in the order of the atomic updates.
    word found = atomicCAS(address, word{0}, word{0});
    word expected = 0;
    do {
      expected = found;
      const T next = Operator::fold(__builtin_bit_cast(T, expected), value);
      found = atomicCAS(address, expected, __builtin_bit_cast(word, next));
    } while (found != expected);
  }
}

/// Shape:  in[n], n >= 0; total[1] holds the identity; any block; one element a lane.
/// Order:  that of arrival: the operator must commute. Every lane updates the total.
template <class T, class Operator>
__global__ void reduce_atomic(const T* in, std::size_t n, T* total) {
  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at < n) fold_onto<Operator>(total, in[at]);
}

}  // namespace onefold::ladder
