// SPDX-License-Identifier: Apache-2.0
// The loops of products and of sums of exponentials of one SIMD target, as tables of functions.
//
// Sixty-four virtual lanes: element i of a piece goes to lane i mod 64 whatever the width of a
// vector, and the lanes fold by halves. So the bits do not depend on the target.
#pragma once

#include <cstdint>

#include "onefold/detail/scaled_pair.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cpu {

inline constexpr int ordered_lanes = 64;

/// The product of one piece of floats; zeros, infinities and NaNs count by their signs alone, NaNs
/// not at all.
struct product_parts {
  detail::scaled_pair pair;
  std::int64_t nans = 0;
  bool zero = false;
  bool infinite = false;
};
using product_kernel = product_parts (*)(const void* x, std::int64_t n);

/// The sum of exp(x - largest) of one piece; what is not a number, and -Inf, adds nothing.
/// Precondition: largest is the largest element, and finite. `near`: all are numbers, none further
/// below it than exponential::least_argument.
using exponential_kernel = double (*)(const void* x, std::int64_t n, double largest, bool near);

/// A sum of numbers of 63 binary places, exactly, as sums of their halves. Up to 2^32 numbers.
struct fixed_total {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  void add(std::uint64_t number, std::int64_t times = 1) {
    high += (number >> 32) * std::uint64_t(times);
    low += (number & 0xFFFFFFFF) * std::uint64_t(times);
  }
  void add(const fixed_total& other) { high += other.high, low += other.low; }
  /// Rounded once, up to 2^21 numbers of at most one.
  double value() const { return double(high) * 0x1p-31 + double(low) * 0x1p-63; }
};
/// The sum of exp(x - largest) of bytes, whose differences are taken modulo 256.
using fixed_kernel = fixed_total (*)(const std::uint8_t* x, std::int64_t n, std::uint8_t largest);

/// By type: f16, bf16, f32, f64.
struct ordered_kernels {
  product_kernel product[4];
  exponential_kernel exponentials[4];
  fixed_kernel fixed;  ///< of all integers
};

}  // namespace onefold::cpu
