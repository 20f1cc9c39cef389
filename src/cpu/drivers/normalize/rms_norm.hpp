// SPDX-License-Identifier: Apache-2.0
// The elementwise part of RMSNorm, by several threads.
#pragma once

#include "request/rms_norm_rows.hpp"

namespace onefold::cpu {

/// Writes y and r. Precondition: of.inverse has the rows' sums of squares, in whose place r is
/// written; no other byte is both read and written.
void scale_rows(const rms_norm_rows& of, int threads);

}  // namespace onefold::cpu
