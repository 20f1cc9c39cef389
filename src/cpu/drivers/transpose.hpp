// SPDX-License-Identifier: Apache-2.0
// Copies of matrices between layouts, by several threads.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/matrix_copy.hpp"

namespace onefold::cpu {

/// Precondition, here and below: no byte is both read and written.
void copy_matrix(const matrix_copy& copy);

/// The same by several threads. Fails: cancelled; some elements are then written.
status copy_matrix(const matrix_copy& copy, int threads, const std::stop_token& stop);

}  // namespace onefold::cpu
