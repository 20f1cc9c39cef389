// SPDX-License-Identifier: Apache-2.0
// The rows that layer_norm reads and writes, as the engines take them, and the steps that both
// share.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

namespace onefold {

/// x[rows][n], adjacent elements, rows `stride` elements apart; y[rows][n] contiguous.
struct layer_norm_rows {
  const void* x;
  void* y;
  const void *weight, *bias;  ///< [n], of one type; null: none
  double *mean, *inverse;     ///< [rows]; null: not wanted
  std::int64_t rows, n, stride;
  double eps;
  dtype type;         ///< of x and y: f16, bf16, f32 or f64
  bool float_weight;  ///< weights and biases of f32 for elements of 16 bits; else of x's type
};

/// The mean of n elements: one quotient. Zeros become +0. The sign of a NaN is the machine's.
ONEFOLD_HOST_DEVICE inline double row_mean(double sum, std::int64_t n) {
  return sum / double(n) + 0.0;
}

/// An element less the mean: a difference of binary64, which is rounded to binary32 for elements
/// of at most 32 bits.
ONEFOLD_HOST_DEVICE inline float centred(float x, double mean) {
  return float(double(x) - mean);
}
ONEFOLD_HOST_DEVICE inline double centred(double x, double mean) {
  return x - mean;
}

}  // namespace onefold
