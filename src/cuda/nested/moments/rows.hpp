// SPDX-License-Identifier: Apache-2.0
// Which rows have variances that an interval certifies.
#pragma once

#include "cuda/nested/tiled_rows.hpp"

namespace onefold::cuda {

struct moment_rows : tiled_rows {
  bool means;  ///< sums or means are asked for, too
};

/// Of a multiprocessor, for elements of f64: with five, of 96 registers, loops spill.
inline constexpr int double_row_blocks = 4;

/// Whether answers of moments are those of tiled rows, with a correction that no sum overflows.
inline bool are_moment_rows(const nested_request& of, std::int64_t correction) {
  return are_tiled_rows(of) && correction > -(std::int64_t(1) << 31);
}

/// Of moments of floats: tiled rows, and of f16, bf16 and f32 answers in such types. Otherwise
/// nothing.
inline std::optional<moment_rows> moment_rows_of(const nested_request& of) {
  const std::int64_t correction = of.finish.correction;
  const bool narrow = of.x_kind.type != dtype::f64;
  if (!are_moment_rows(of, correction) || (narrow && of.items <= correction)) return std::nullopt;
  bool means = false;
  for (int i = 0; i < of.finish.size; ++i) {
    const finish_item& asked = of.finish.answers[i];
    if (narrow && (asked.type < dtype::f16 || asked.type == dtype::f64 || asked.what == op::sumsq ||
                   asked.what == op::norm2))
      return std::nullopt;
    means = means || asked.what == op::sum || asked.what == op::mean;
  }
  const auto tiles = tiled_rows_of(of);
  if (!tiles) return std::nullopt;
  return moment_rows{*tiles, means};
}

}  // namespace onefold::cuda
