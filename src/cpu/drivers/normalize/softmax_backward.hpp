// SPDX-License-Identifier: Apache-2.0
// The backward passes of softmax and log_softmax, by several threads.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/softmax_rows.hpp"

namespace onefold::cpu {

/// Writes dx. Precondition: what is written is what is read, or apart from it. Fails: cancelled;
/// throws std::bad_alloc.
status softmax_backward(const softmax_gradients& request, int threads, const std::stop_token& stop);

}  // namespace onefold::cpu
