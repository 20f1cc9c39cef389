// SPDX-License-Identifier: Apache-2.0
// Requests of short rows, of which a warp takes four at once.
#pragma once

#include "cuda/nested/nested.hpp"

namespace onefold::cuda {

/// Elements of the longest row that is faster so than with a warp to itself; measured, see
/// docs/performance/gpu-rows.md.
ONEFOLD_HOST_DEVICE inline std::int64_t short_row_items(const nested_request& of) {
  return of.input == dtype::f64 ? 256 : -1;
}

/// Whether a request is of sums of exponentials of f64, of short rows that lie one after the other
/// and all count.
ONEFOLD_HOST_DEVICE inline bool has_short_rows(const nested_request& of) {
  return of.shape == order::chunks && of.of == accumulator::log_sum && of.x_kind.floating &&
         of.x_kind.type == of.input && of.mask == nullptr && of.aligned && of.pieces == 1 &&
         of.axes.all == of.axes.kept + 1 && of.axes.axis[of.axes.kept].x_bytes == of.x_kind.bytes &&
         of.items <= short_row_items(of);
}

}  // namespace onefold::cuda
