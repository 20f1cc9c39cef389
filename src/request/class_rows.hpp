// SPDX-License-Identifier: Apache-2.0
// The rows that cross_entropy and its backward pass read and write, as the engines take them.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

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
};

}  // namespace onefold
