// SPDX-License-Identifier: Apache-2.0
// The rows that scatter_rows and segment_rows add, and their answers, as the engines take them.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

namespace onefold {

/// x[rows][n], adjacent elements, rows `stride` elements apart; out[answers][n] contiguous.
struct row_scatter {
  const void* x;
  const void* keys;             ///< [rows]; null: there are offsets
  const std::int64_t* offsets;  ///< [answers + 1]; null: there are keys
  const void* initial;          ///< [answers][n]; null: none
  void* out;
  std::int64_t rows, n, answers, stride, initial_stride;
  dtype type;      ///< f16, bf16, f32 or f64
  bool wide_keys;  ///< i64, else i32
  bool is_mean;
  bool adds_initial;    ///< to answers that have rows
  bool counts_initial;  ///< in their means

  ONEFOLD_HOST_DEVICE std::int64_t key(std::int64_t row) const {
    return wide_keys ? static_cast<const std::int64_t*>(keys)[row]
                     : static_cast<const std::int32_t*>(keys)[row];
  }
  /// Whether the initial element is a term of an answer of `count` rows.
  ONEFOLD_HOST_DEVICE bool has_initial_term(std::int64_t count) const {
    return initial != nullptr && adds_initial && count > 0;
  }
  /// What the sum of `count` rows is divided by.
  ONEFOLD_HOST_DEVICE std::int64_t divisor(std::int64_t count) const {
    return count + (has_initial_term(count) && counts_initial ? 1 : 0);
  }
};

}  // namespace onefold
