// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax of rows in host memory, by several threads.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/softmax_rows.hpp"

namespace onefold::cpu {

/// Precondition: no byte is both read and written. Fails: cancelled.
status softmax(const softmax_rows& request, int threads, const std::stop_token& stop);

}  // namespace onefold::cpu
