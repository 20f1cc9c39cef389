// SPDX-License-Identifier: Apache-2.0
// Requests of short rows, of which a warp takes four at once, and how many warps there are for
// them.
#pragma once

#include <algorithm>

#include "cuda/nested/nested.hpp"

namespace onefold::cuda {

/// Elements of the longest row that is faster so than with a warp to itself; measured, see
/// docs/performance/gpu-rows.md.
ONEFOLD_HOST_DEVICE inline std::int64_t short_row_items(const nested_request& of) {
  if (of.of == accumulator::log_sum) return of.input == dtype::f64 ? 256 : -1;
  return 512 * (of.x_kind.bytes == 2 ? 2 : 1);
}

/// Whether a request is of sums of exponentials of f64, or of fast variances of floats that it also
/// finishes, of short rows that lie one after the other and all count.
ONEFOLD_HOST_DEVICE inline bool has_short_rows(const nested_request& of) {
  const bool spreads = of.of == accumulator::moments && of.finish.size > 0 && of.items > 0;
  const bool all_count = of.mask == nullptr && !of.drops_nans;
  return of.shape == order::chunks && (spreads || of.of == accumulator::log_sum) &&
         of.x_kind.floating && of.x_kind.type == of.input && all_count && of.aligned &&
         of.pieces == 1 && of.axes.all == of.axes.kept + 1 &&
         of.axes.axis[of.axes.kept].x_bytes == of.x_kind.bytes && of.items <= short_row_items(of);
}

/// Bytes of the longest row the next of which is asked for ahead, where rows are read twice within
/// few instructions: of longer ones the first cache holds the rows at hand alone.
inline constexpr std::int64_t asked_row_bytes = 512;

/// Blocks of a multiprocessor, of at most `most`: their rows of variances lie in the first cache
/// when they are read again, 192 KiB of which a block has 16 rows.
inline std::int64_t blocks_of_short_rows(const nested_request& of, std::int64_t most) {
  const std::int64_t bytes = of.items * of.x_kind.bytes;
  if (of.of == accumulator::log_sum || bytes <= asked_row_bytes) return most;
  return std::min<std::int64_t>(8, (192 << 10) / (16 * bytes));
}

}  // namespace onefold::cuda
