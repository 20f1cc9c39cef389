// SPDX-License-Identifier: Apache-2.0
// The elementwise parts of layer_norm, by several threads, for some rows of a request.
#pragma once

#include <cstdint>
#include <stop_token>

#include "onefold/status.hpp"
#include "request/layer_norm_rows.hpp"

namespace onefold::cpu {

/// `count` rows from `first` on, and memory for their centred elements: [count][n], contiguous, of
/// float, of f64 rows of double.
struct centred_rows {
  std::int64_t first, count;
  void* elements;
};

/// Writes the means and the centred elements. Precondition: request.mean has the rows' sums, in
/// whose place the means are written. Fails: cancelled.
status centre_rows(const layer_norm_rows& request, const centred_rows& rows, int threads,
                   const std::stop_token& stop);

/// Writes y and r. Precondition: request.inverse has the sums of the centred elements' squares, in
/// whose place r is written. Fails: cancelled.
status scale_centred_rows(const layer_norm_rows& request, const centred_rows& rows, int threads,
                          const std::stop_token& stop);

}  // namespace onefold::cpu
