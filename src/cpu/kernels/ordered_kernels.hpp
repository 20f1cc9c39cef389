// SPDX-License-Identifier: Apache-2.0
// The table of one SIMD target's loops of prod, logsumexp and softmax.
//
// Sixty-four virtual lanes: element i of a piece goes to lane i mod 64, whatever the width of a
// vector, and the lanes are folded by halves. So the bits do not depend on the target. Sums of
// integers have no order.
#pragma once

#include <cstdint>

#include "onefold/detail/scaled_pair.hpp"
#include "onefold/dtype.hpp"
#include "state/exponential_terms.hpp"

namespace onefold::cpu {

inline constexpr int ordered_lanes = 64;

/// The product of one piece of floats. Zeros and infinities set a flag and contribute only their
/// signs; NaNs are only counted.
struct product_parts {
  detail::scaled_pair pair;
  std::int64_t nans = 0;
  bool zero = false;
  bool infinite = false;
};
using product_kernel = product_parts (*)(const void* x, std::int64_t n);

/// The sum of exp(x - largest) over one piece of doubles; NaNs and -Inf add nothing. Precondition:
/// largest is the largest element, and finite. `near`: no element is a NaN, and none is further
/// below the largest than exponential::least_argument.
using exponential_kernel = double (*)(const void* x, std::int64_t n, double largest, bool near);

/// The sum of the terms of one piece of f16, bf16 or f32, up to 2^16 of them; NaNs and -Inf add
/// nothing. Precondition: no element is larger than the one that the scale is of.
using term_kernel = std::uint64_t (*)(const void* x, std::int64_t n,
                                      const exponential::term_scale& scale);

/// An exact sum of fixed-point numbers with 63 binary places, by halves. Up to 2^32 numbers.
struct fixed_total {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  void add(std::uint64_t number, std::int64_t times = 1) {
    high += (number >> 32) * std::uint64_t(times);
    low += (number & 0xFFFFFFFF) * std::uint64_t(times);
  }
  void add(const fixed_total& other) { high += other.high, low += other.low; }
  /// Rounded once, for up to 2^21 numbers of at most one.
  double value() const { return double(high) * 0x1p-31 + double(low) * 0x1p-63; }
};
/// The sum of exp(x - largest) of bytes; differences are modulo 256.
using fixed_kernel = fixed_total (*)(const std::uint8_t* x, std::int64_t n, std::uint8_t largest);

/// The sum of floor(2^18 numerator) of up to 2^16 elements (state/softmax_steps.hpp), for their
/// row's largest element m; and what is written for them: numerator * step, or (x - m) - step.
using numerator_kernel = std::uint64_t (*)(const void* x, std::int64_t n, float m);
using softmax_writer = void (*)(const void* x, std::int64_t n, float m, float step, void* y);
struct softmax_kernels {
  numerator_kernel sum;
  softmax_writer quotients, logarithms;
};

/// Indexed by type: f16, bf16, f32, f64.
struct ordered_kernels {
  product_kernel product[4];
  exponential_kernel exponentials;  ///< of f64
  term_kernel terms[3];             ///< of the others
  fixed_kernel fixed;               ///< of all integers
  softmax_kernels softmax[3];
};

}  // namespace onefold::cpu
