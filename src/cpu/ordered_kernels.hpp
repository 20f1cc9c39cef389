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
/// Precondition: largest is the largest element, and finite.
using exponential_kernel = double (*)(const void* x, std::int64_t n, double largest);

/// By type: f16, bf16, f32, f64.
struct ordered_kernels {
  product_kernel product[4];
  exponential_kernel exponentials[4];
};

}  // namespace onefold::cpu
