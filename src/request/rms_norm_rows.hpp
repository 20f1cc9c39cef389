// SPDX-License-Identifier: Apache-2.0
// The rows that rms_norm reads and writes, as the engines take them, and the step that all share.
#pragma once

#include <cmath>
#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

namespace onefold {

/// x[rows][n], adjacent elements, rows `stride` elements apart; y[rows][n] contiguous.
struct rms_norm_rows {
  const void* x;
  void* y;
  const void* weight;  ///< [n]; null: none
  double* inverse;     ///< [rows]; null: not wanted
  std::int64_t rows, n, stride;
  double eps;
  dtype type;         ///< of x and y: f16, bf16, f32 or f64
  bool float_weight;  ///< weights of f32 for elements of 16 bits; else of x's type
  /// [rows][n], rows addend_stride elements apart; null: none. Else sum[rows][n], contiguous, gets
  /// x + addend, whose rows are normalized. sum may be addend, and y may be x.
  const void* addend = nullptr;
  std::int64_t addend_stride = 0;
  void* sum = nullptr;
};

/// The rows of its backward pass, or of that of layer_norm: g[rows][n] as x, g_stride elements
/// apart; dx[rows][n] contiguous.
struct norm_gradients {
  const void *x, *g;
  void* dx;               ///< null: not wanted
  const void* weight;     ///< [n]; null: none
  const double* inverse;  ///< [rows]; null: computed with eps, on a GPU
  void* dweight;          ///< [n], of the weight's type; null: not wanted
  std::int64_t rows, n, stride, g_stride;
  double eps;
  dtype type;         ///< of x, g and dx
  bool float_weight;  ///< as above; also of dbias
  /// Of layer_norm: x less the means of rows takes the place of x.
  bool centred = false;
  const double* mean = nullptr;  ///< [rows], there where the inverses are
  void* dbias = nullptr;         ///< [n]; null: not wanted
};

/// 1 / sqrt(squares / n + eps): each operation rounded once. The sign of a NaN is the machine's.
ONEFOLD_HOST_DEVICE inline double inverse_root_mean(double squares, std::int64_t n, double eps) {
  return 1 / std::sqrt(squares / double(n) + eps);
}

}  // namespace onefold
