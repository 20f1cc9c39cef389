// SPDX-License-Identifier: Apache-2.0
// Rows of one element each, added in the order of memory to a table of all answers, without lists.
#pragma once

#include <stop_token>

#include "onefold/status.hpp"
#include "request/row_scatter.hpp"

namespace onefold::cpu {

/// Whether a table takes less time than lists; and memory up to twice theirs.
inline bool takes_table(const row_scatter& request) {
  return request.keys != nullptr && request.n == 1 && request.answers <= request.rows;
}

/// Writes the answers. False: too many are ambiguous, and their rows are needed as lists.
/// Precondition: takes_table. Fails: mismatch (a key that is no answer), cancelled. Throws
/// std::bad_alloc.
result<bool> scatter_elements(const row_scatter& request, int threads, const std::stop_token& stop);

}  // namespace onefold::cpu
