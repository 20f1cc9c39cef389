// SPDX-License-Identifier: Apache-2.0
// Which rows have logarithms that a sum of their exponentials certifies.
#pragma once

#include <optional>

#include "cuda/kernels/strided/strided_rows.hpp"

namespace onefold::cuda {

/// Of a multiprocessor, for narrow elements and f64: with more, loops spill (measured:
/// docs/performance/gpu-rows.md).
inline constexpr int exponential_blocks = 4, double_exponential_blocks = 4;

/// Of exponentials of floats: rows that can be counted by 32 bits, of one answer in the elements'
/// type. Otherwise nothing.
inline std::optional<strided_rows> exponential_rows_of(const strided_request& request) {
  const bool fits = request.accumulator == accumulator::exponentials && request.x_kind.floating &&
                    request.finish.size == 1 &&
                    request.finish.answers[0].type == request.x_kind.type &&
                    request.items < std::int64_t(1) << 31 && has_rows(request);
  return fits ? std::optional(rows_of(request)) : std::nullopt;
}

/// Whether strided_packed_exponentials reads them. Ambiguous answers are written before the
/// fallback: it may not leave one as it was.
inline bool are_packed_exponentials(const strided_request& request, const strided_rows& rows) {
  return request.x_kind.type != dtype::f64 && request.finish.nan == nan_policy::propagate &&
         are_packed(rows, request.x_kind.bytes, request.finish.answers[0].to, request.x_kind.bytes);
}

}  // namespace onefold::cuda
