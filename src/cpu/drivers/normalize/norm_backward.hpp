// SPDX-License-Identifier: Apache-2.0
// The backward pass of RMSNorm and LayerNorm, by several threads.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold::cpu {

/// Writes the gradients that are wanted. Precondition: the inverses, and the means of centred rows,
/// are there; no byte is both read and written. Fails: cancelled; throws std::bad_alloc.
status norm_backward(const norm_gradients& request, int threads, const std::stop_token& stop);

}  // namespace onefold::cpu
