// SPDX-License-Identifier: Apache-2.0
// The table of one SIMD target's loops of exponentials: E(x) (state/exponential.hpp) of a block of
// elements as doubles, which an exact sum then takes.
#pragma once

#include <cstdint>

namespace onefold::cpu {

/// Blocks have at most so many elements; the doubles are in the order of the elements.
inline constexpr std::int64_t exponential_block = 1024;

/// Writes E of n elements whose band has this origin, 512 times the band. Returns whether all are
/// of that band, and not at its edges; otherwise what was written is of no use. `patterns`: the sum
/// of their bits.
/// Precondition: n is at most exponential_block.
using exponentials_of_one_band = bool (*)(const void* x, std::int64_t n, double origin, double* to,
                                          std::uint64_t& patterns);

/// What is in a block of any elements.
struct exponential_facts {
  std::int64_t nans = 0, infinities = 0, negative_infinities = 0;
  std::uint64_t patterns = 0;  ///< the sum of the bits of finite elements
  double largest = 0;          ///< finite element, -Inf if there is none
};
using exponential_survey = exponential_facts (*)(const void* x, std::int64_t n);

/// Writes E of the elements of a band, zeros for others; returns how many elements it has.
using exponentials_of_band = std::int64_t (*)(const void* x, std::int64_t n, double band,
                                              double* to);

struct exponential_kernels {
  exponentials_of_one_band one_band;
  exponential_survey survey;
  exponentials_of_band band;
};

}  // namespace onefold::cpu
