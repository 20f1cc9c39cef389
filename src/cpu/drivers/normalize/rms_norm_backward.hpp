// SPDX-License-Identifier: Apache-2.0
// The backward pass of RMSNorm, by several threads.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold::cpu {

/// Writes dx and dweight, where they are wanted. Precondition: request.inverse is there; no byte is
/// both read and written. Fails: cancelled; throws std::bad_alloc.
status rms_norm_backward(const rms_norm_gradients& request, int threads,
                         const std::stop_token& stop);

}  // namespace onefold::cpu
