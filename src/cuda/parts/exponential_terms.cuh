// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentials of the elements of a chunk relative to its largest one, by the CPU's operations, so
// with the CPU's bits (docs/numerics/logsumexp.md): of f64 doubles, whose sum has an order; of
// narrower floats fixed-point terms (state/exponential_terms.hpp), whose sum has none.

#include "cuda/parts/exponential.cuh"
#include "state/exponential_terms.hpp"

#include <type_traits>
#include <utility>

namespace onefold::cuda {

/// The table of the terms, in shared memory.
using term_powers = std::uint32_t[exponential::term_steps];
template <int I>
inline constexpr std::uint32_t term_power = exponential::term_powers[I];

template <int... I>
ONEFOLD_DEVICE void write_term_powers(std::uint32_t* to, std::integer_sequence<int, I...>) {
  ((threadIdx.x == unsigned(I) ? void(to[I] = term_power<I>) : void()), ...);
}
/// By the threads of a block, which has to meet before it reads the table.
ONEFOLD_DEVICE void write_term_powers(term_powers& to) {
  write_term_powers(to, std::make_integer_sequence<int, exponential::term_steps>());
}

/// What is added for the elements of a chunk of T.
template <class T>
using exponential_sum = std::conditional_t<sizeof(T) == 8, double, std::uint64_t>;

template <class T>
class chunk_exponentials {
 public:
  /// largest: the largest element; of use if it is finite.
  ONEFOLD_DEVICE chunk_exponentials(double largest, const std::uint32_t* powers)
      : largest_(float(largest)), scale_(exponential::scale_of(largest_)), powers_(powers) {}

  /// Of each element its term; of -Inf and NaN 0.
  template <bool Near, int N>
  ONEFOLD_DEVICE void terms_of(const double (&x)[N], std::uint64_t (&terms)[N]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) terms[i] = term_of(float(x[i]));
  }
  ONEFOLD_DEVICE std::uint64_t term_of(float x) const {
    return exponential::scaled_term(max(x - scale_.origin, scale_.least), scale_, powers_);
  }
  /// Of all terms of the chunk, at least one.
  ONEFOLD_DEVICE exponential::scaled_sum scaled(std::uint64_t sum) const {
    return exponential::exponentials_of_terms(sum, largest_, scale_, powers_);
  }

 private:
  float largest_;
  exponential::term_scale scale_;
  const std::uint32_t* powers_;
};

template <>
class chunk_exponentials<double> {
 public:
  ONEFOLD_DEVICE chunk_exponentials(double largest, const std::uint32_t*) : largest_(largest) {}

  /// Near: no element is a NaN, or so far below that its exponential is 0.
  template <bool Near, int N>
  ONEFOLD_DEVICE void terms_of(const double (&x)[N], double (&terms)[N]) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) terms[i] = x[i] - largest_;
    __syncwarp();  // or the compiler computes them one by one, each a chain of latencies
    exponentials_of<Near>(terms);
  }
  ONEFOLD_DEVICE double term_of(double x) const { return exponential_of(x - largest_); }
  ONEFOLD_DEVICE exponential::scaled_sum scaled(double sum) const { return {largest_, sum}; }

 private:
  double largest_;
};

}  // namespace onefold::cuda
