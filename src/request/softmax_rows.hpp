// SPDX-License-Identifier: Apache-2.0
// The rows that softmax and log_softmax read and write, as the engines take them.
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

}  // namespace onefold
