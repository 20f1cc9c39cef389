// SPDX-License-Identifier: Apache-2.0
// The rows that cross_entropy and its backward pass read and write, as the engines take them.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"
#include "onefold/loss_reduction.hpp"

namespace onefold {

/// x[rows][n], adjacent elements, rows `stride` elements apart; n > 0.
struct class_rows {
  const void* x;
  const std::int64_t* targets;  ///< of each row
  std::int64_t rows, n, stride;
  std::int64_t ignore_index;
  dtype type;  ///< f16, bf16 or f32

  ONEFOLD_HOST_DEVICE bool has_class(std::int64_t target) const {
    return target >= 0 && target < n && target != ignore_index;
  }
};

struct class_losses : class_rows {
  float* losses;   ///< of each row
  double* totals;  ///< three of each row; null: not wanted
};

/// dx[rows][n] contiguous; it may be x.
struct class_gradients : class_rows {
  const float* scales;   ///< of each row
  const double* totals;  ///< three of each row
  void* dx;
  double smoothing = 0;  ///< the share of a row's weight that each class receives

  /// What is subtracted from all results of a row, and its target's result.
  ONEFOLD_HOST_DEVICE float shift(float scale) const { return float(smoothing * scale); }
  ONEFOLD_HOST_DEVICE float of_target(double slope, float scale) const {
    return float((slope + smoothing * double(n - 1)) * scale);
  }
};

/// The weight of each row's class. A target that is no class has that of the next one.
struct class_weights {
  const std::int64_t* targets;  ///< of each row
  std::int64_t rows, ignore_index;
  const void* weights;  ///< of each class; null: 1 each
  std::int64_t classes;
  dtype type;  ///< of the weights

  ONEFOLD_HOST_DEVICE std::int64_t nearest_class(std::int64_t target) const {
    return target < 0 || classes == 0 ? 0 : target < classes ? target : classes - 1;
  }
};

struct loss_sums : class_weights {
  const float* losses;  ///< of each row
  loss_reduction reduction;
  void* result;  ///< one number, or one of each row
  dtype result_type;
  double* divisor;  ///< of a mean; null: not wanted
};

struct row_scales : class_weights {
  const void* g;  ///< the gradient of the result, or of each row's
  dtype g_type;
  bool of_rows;
  const double* divisor;  ///< null: 1
  float* scales;          ///< of each row
};

}  // namespace onefold
