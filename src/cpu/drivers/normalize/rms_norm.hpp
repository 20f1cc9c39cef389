// SPDX-License-Identifier: Apache-2.0
// The elementwise part of RMSNorm, by several threads.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold::cpu {

/// Writes y and r. Precondition: request.inverse has the rows' sums of squares, in whose place r is
/// written; no other byte is both read and written. Fails: cancelled.
status scale_rows(const rms_norm_rows& request, int threads, const std::stop_token& stop);

/// Writes the sums of x and the addend. Fails: cancelled.
status add_rows(const rms_norm_rows& request, int threads, const std::stop_token& stop);

}  // namespace onefold::cpu
