// SPDX-License-Identifier: Apache-2.0
// Sums and means of rows by key, on the CPU.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/row_scatter.hpp"

namespace onefold::cpu {

/// Writes each answer, rounded once. Precondition: what is written is not read. Fails: mismatch (a
/// key that is no answer; offsets that decrease or exceed the rows), cancelled, out_of_memory.
status scatter(const row_scatter& request, int threads, const std::stop_token& stop);

}  // namespace onefold::cpu
