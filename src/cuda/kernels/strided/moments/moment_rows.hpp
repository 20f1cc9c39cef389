// SPDX-License-Identifier: Apache-2.0
// Which rows have variances that an interval certifies.
#pragma once

#include <optional>

#include "cuda/kernels/strided/strided_rows.hpp"

namespace onefold::cuda {

struct moment_rows {
  strided_rows rows;
  bool means;   ///< sums or means are asked for, too, or several answers
  bool packed;  ///< are_packed(rows), of one variance or deviation in the elements' type; of f32
                ///< with a correction of 0 or 1
};

/// Of a multiprocessor, for elements of f64: with five, of 96 registers, loops spill.
inline constexpr int double_row_blocks = 4;

/// Whether the answers of moments are those of rows that can be counted by 32 bits.
inline bool are_moment_rows(const nested_request& of, std::int64_t correction) {
  const std::int64_t limit = std::int64_t(1) << 31;
  return has_rows(of) && of.items < limit && correction > -limit;
}

/// Of moments of floats: rows, and of f16, bf16 and f32 answers in such types. Otherwise nothing.
inline std::optional<moment_rows> moment_rows_of(const nested_request& of) {
  const std::int64_t correction = of.finish.correction;
  const bool narrow = of.x_kind.type != dtype::f64;
  if (of.finish.size == 0 || !are_moment_rows(of, correction)) return std::nullopt;
  if (narrow && of.items <= correction) return std::nullopt;
  bool means = of.finish.size > 1;
  for (int i = 0; i < of.finish.size; ++i) {
    const finish_item& asked = of.finish.answers[i];
    if (narrow && (asked.type < dtype::f16 || asked.type == dtype::f64 || asked.what == op::sumsq ||
                   asked.what == op::norm2))
      return std::nullopt;
    means = means || asked.what == op::sum || asked.what == op::mean;
  }
  const strided_rows rows = rows_of(of);
  const finish_item& first = of.finish.answers[0];
  // Ambiguous answers are written before the fallback: it may not leave one as it was.
  const bool propagates = of.finish.nan == nan_policy::propagate;
  const bool halves = of.x_kind.type != dtype::f32 || correction == 0 || correction == 1;
  const bool packed = narrow && halves && !means && propagates && first.type == of.x_kind.type &&
                      are_packed(rows, of.x_kind.bytes, first.to, of.x_kind.bytes);
  return moment_rows{rows, means, packed};
}

}  // namespace onefold::cuda
