// SPDX-License-Identifier: Apache-2.0
// The table of one SIMD target's loops of prod, exponentials and softmax.
//
// Sixty-four virtual lanes: element i of a piece goes to lane i mod 64, whatever the width of a
// vector, and the lanes are folded by halves. So the bits do not depend on the target. Exponentials
// and products of integers have no order.
#pragma once

#include <cstdint>

#include "cpu/kernels/exponentials.hpp"
#include "onefold/detail/scaled_pair.hpp"
#include "onefold/dtype.hpp"

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

/// E of up to softmax_block elements of a band whose origin is given, 512 times the band; with
/// `masks` zeros for those that lie more than 768 below it. `e` has room for 16 more. `fine`: there
/// are no others, and `sum` is that of doubles, each through at most `depth` additions. Otherwise
/// what was written is of no use.
inline constexpr std::int64_t softmax_block = 2048;
struct softmax_sum {
  double sum;
  std::int64_t depth;
  bool fine;
};
using softmax_adder = softmax_sum (*)(const void* x, std::int64_t n, float origin, bool masks,
                                      double* e);
/// Writes e * factor, as floats, minus `less`, rounded to elements. `e` has room for 16 more.
using softmax_scaler = void (*)(const double* e, std::int64_t n, double factor, float less,
                                void* y);
/// Writes detail::less_logarithm of elements. Returns the place of that near zero, or n.
using softmax_subtracter = std::int64_t (*)(const void* x, std::int64_t n,
                                            const detail::scaled_pair& logarithm, void* y);
struct softmax_kernels {
  softmax_adder add;
  softmax_scaler quotients;
  softmax_subtracter logarithms;
};

/// Indexed by type: f16, bf16, f32, f64.
struct ordered_kernels {
  product_kernel product[4];
  exponential_kernels exponentials[4];
  softmax_kernels softmax[3];
};

}  // namespace onefold::cpu
