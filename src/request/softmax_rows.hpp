// SPDX-License-Identifier: Apache-2.0
// The rows that softmax, log_softmax and their backward passes read and write, as the engines take
// them.
#pragma once

#include <cstdint>

#include "onefold/dtype.hpp"

namespace onefold {

class state;

/// x[rows][n], adjacent elements, rows `stride` elements apart; y[rows][n] contiguous.
struct softmax_rows {
  const void* x;
  void* y;
  std::int64_t rows, n, stride;
  dtype type;      ///< f16, bf16 or f32
  bool logarithm;  ///< log_softmax
  /// Of each row: the sum of exponentials of all of it, where x has a part. Null: x has all.
  const state* whole = nullptr;
};

/// The rows of a backward pass: y[rows][n], what softmax or log_softmax gave, and its gradient
/// g[rows][n], adjacent elements, rows some elements apart; dx[rows][n] contiguous. dx may be y, g
/// or both, where their rows are contiguous.
struct softmax_gradients {
  const void *y, *g;
  void* dx;
  std::int64_t rows, n, stride, g_stride;
  dtype type;      ///< f16, bf16 or f32
  bool logarithm;  ///< of log_softmax
};

}  // namespace onefold
