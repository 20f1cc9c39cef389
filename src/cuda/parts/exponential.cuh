// SPDX-License-Identifier: Apache-2.0
#pragma once
// exp(x) for x <= 0, by the CPU's operations, so with the CPU's bits (docs/numerics/logsumexp.md):
// of doubles a polynomial, of integers a table.

#include "cuda/parts/load.cuh"
#include "state/exponential.hpp"

#include <iterator>
#include <utility>

namespace onefold::cuda {

/// Rows of 64 elements whose exponentials are summed apart.
inline constexpr int exponential_rows = 32;

inline constexpr int exponential_coefficients = int(std::size(exponential::long_polynomial));
template <int Term>
inline constexpr double exponential_coefficient = exponential::long_polynomial[Term];

// p = p r + p[Term], down to p[0], interleaved over all numbers: each step depends on the one
// before.
template <int Term, int N>
ONEFOLD_DEVICE void exponential_polynomials(double (&p)[N], const double (&r)[N]) {
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) p[i] = fma(p[i], r[i], exponential_coefficient<Term>);
  if constexpr (Term > 0) exponential_polynomials<Term - 1>(p, r);
}

// 2^k p, where the sum of k and integer_ulp is `shifted`: its last bits are added to the exponent.
ONEFOLD_DEVICE double scaled_by(double p, double shifted) {
  const std::uint64_t bits = detail::to_bits(p);
  const auto high = std::uint32_t(bits >> 32) + (std::uint32_t(detail::to_bits(shifted)) << 20);
  return detail::from_bits<double>(std::uint64_t(high) << 32 | std::uint32_t(bits));
}

/// Of each number x <= 0 exp(x); 0 below -708 and for NaN, of which there are none if Near.
template <bool Near, int N>
ONEFOLD_DEVICE void exponentials_of(double (&x)[N]) {
  using namespace exponential;
  double shifted[N], r[N], p[N];
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) shifted[i] = fma(x[i], inverse_log_of_2, integer_ulp);
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const double k = shifted[i] - integer_ulp;
    r[i] = fma(k, -log_of_2_low, fma(k, -log_of_2_high, x[i]));
    p[i] = exponential_coefficient<exponential_coefficients - 1>;
  }
  exponential_polynomials<exponential_coefficients - 2>(p, r);
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const double scaled = scaled_by(p[i], shifted[i]);
    x[i] = Near || x[i] >= least_argument ? scaled : 0;
  }
}

/// exp(x) for x <= 0; 0 below -708 and for NaN.
ONEFOLD_DEVICE double exponential_of(double x) {
  double one[1] = {x};
  exponentials_of<false>(one);
  return one[0];
}

template <int I>
inline constexpr std::uint64_t fixed_exponential = exponential::fixed[I];

/// Of integers: thread k of a block writes the number of the distance k.
template <int... I>
ONEFOLD_DEVICE void write_fixed_exponentials(std::uint64_t* table,
                                             std::integer_sequence<int, I...>) {
  ((threadIdx.x == unsigned(I) ? void(table[I] = fixed_exponential<I>) : void()), ...);
}

}  // namespace onefold::cuda
