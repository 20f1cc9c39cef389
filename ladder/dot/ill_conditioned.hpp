// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dot products that cancel: vectors with a chosen condition number.
//
// The condition number 2 sum |a b| / |a.b| says how many times larger the answer's relative error
// may be than that of the elements. The first half of the vectors is random with exponents spread
// over the range; each later element is chosen to cancel most of what the sum holds so far, down
// to order 1; then the order is shuffled.
//
// Source: T. Ogita, S. Rump, S. Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26
//         (2005), Algorithm 6.1, GenDot.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace onefold::ladder {

template <class T>
struct dot_case {
  std::vector<T> a, b;
  T answer;          ///< the exact dot product, rounded once
  double condition;  ///< what has come out
};

/// Vectors of n >= 4 elements with significands of `bits` bits and a condition number of the order
/// of `condition`, above it for long vectors; the same for the same arguments. With half the bits
/// of T or fewer every product is exact.
template <class T>
dot_case<T> ill_conditioned(std::size_t n, double condition, int bits, std::uint64_t seed);

}  // namespace onefold::ladder
