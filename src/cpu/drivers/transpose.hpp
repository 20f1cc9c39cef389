// SPDX-License-Identifier: Apache-2.0
// Copies of matrices between layouts, by several threads.
#pragma once

#include "request/matrix_copy.hpp"

namespace onefold::cpu {

/// Precondition: no byte is both read and written.
void copy_matrix(const matrix_copy& copy, int threads);

}  // namespace onefold::cpu
