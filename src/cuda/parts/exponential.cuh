// SPDX-License-Identifier: Apache-2.0
#pragma once
// exp(x) for x <= 0, by the CPU's operations, so with the CPU's bits (docs/numerics/logsumexp.md):
// of floats a polynomial, of integers a table.

#include "cuda/parts/load.cuh"
#include "state/exponential.hpp"

#include <iterator>
#include <utility>

namespace onefold::cuda {

/// Rows of 64 elements whose exponentials are summed apart.
inline constexpr int exponential_rows = 32;

template <class T>
inline constexpr int exponential_terms = std::is_same_v<T, double>
                                             ? int(std::size(exponential::long_polynomial))
                                             : int(std::size(exponential::short_polynomial));
template <class T, int Term>
inline constexpr double exponential_coefficient = exponential::short_polynomial[Term];
template <int Term>
inline constexpr double exponential_coefficient<double, Term> = exponential::long_polynomial[Term];

// p[Term] + r (p[Term + 1] + r (…)).
template <class T, int Term = 0>
ONEFOLD_DEVICE double exponential_polynomial(double r) {
  constexpr double coefficient = exponential_coefficient<T, Term>;
  if constexpr (Term + 1 == exponential_terms<T>)
    return coefficient;
  else
    return fma(exponential_polynomial<T, Term + 1>(r), r, coefficient);
}

/// exp(x) for x <= 0; 0 below -708 and for NaN.
template <class T>
ONEFOLD_DEVICE double exponential_of(double x) {
  using namespace exponential;
  const double shifted = fma(x, inverse_log_of_2, integer_ulp), k = shifted - integer_ulp;
  double r;
  if constexpr (std::is_same_v<T, double>)
    r = fma(k, -log_of_2_low, fma(k, -log_of_2_high, x));
  else
    r = fma(k, -log_of_2, x);
  const double p = exponential_polynomial<T>(r);
  const std::uint64_t scaled = detail::to_bits(p) + (detail::to_bits(shifted) << 52);
  return x >= least_argument ? detail::from_bits<double>(scaled) : 0;
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
