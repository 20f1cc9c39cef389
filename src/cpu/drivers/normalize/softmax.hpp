// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax of rows in host memory, by several threads.
#pragma once

#include "request/softmax_rows.hpp"

namespace onefold::cpu {

/// Precondition: no byte is both read and written.
void softmax(const softmax_rows& of, int threads);

}  // namespace onefold::cpu
