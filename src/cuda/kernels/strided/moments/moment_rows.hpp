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
inline bool are_moment_rows(const strided_request& request, std::int64_t correction) {
  const std::int64_t limit = std::int64_t(1) << 31;
  return has_rows(request) && request.items < limit && correction > -limit;
}

/// Of moments of floats: rows, and of f16, bf16 and f32 answers in such types. Otherwise nothing.
inline std::optional<moment_rows> moment_rows_of(const strided_request& request) {
  const std::int64_t correction = request.finish.correction;
  const bool narrow = request.x_kind.type != dtype::f64;
  if (request.finish.size == 0 || !are_moment_rows(request, correction)) return std::nullopt;
  if (narrow && request.items <= correction) return std::nullopt;
  bool means = request.finish.size > 1;
  for (int i = 0; i < request.finish.size; ++i) {
    const finish_item& item = request.finish.answers[i];
    if (narrow && (item.type < dtype::f16 || item.type == dtype::f64 || item.op == op::sumsq ||
                   item.op == op::norm2))
      return std::nullopt;
    means = means || item.op == op::sum || item.op == op::mean;
  }
  const strided_rows rows = rows_of(request);
  const finish_item& first = request.finish.answers[0];
  // Ambiguous answers are written before the fallback: it may not leave one as it was.
  const bool propagates = request.finish.nan == nan_policy::propagate;
  const bool halves = request.x_kind.type != dtype::f32 || correction == 0 || correction == 1;
  const bool packed = narrow && halves && !means && propagates &&
                      first.type == request.x_kind.type &&
                      are_packed(rows, request.x_kind.bytes, first.to, request.x_kind.bytes);
  return moment_rows{rows, means, packed};
}

}  // namespace onefold::cuda
