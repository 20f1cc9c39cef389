// SPDX-License-Identifier: Apache-2.0
// Two inputs whose elements belong together, row by row: dot, and --by with its keys.
#pragma once

#include "io/input.hpp"
#include "io/memory.hpp"

namespace onefold::program {

/// An input in memory, and where it has missing values.
struct rows_of_input {
  loaded& elements;
  const input& from;
};

/// Removes the rows in which one of the inputs has a missing value from both.
/// Throws failure (mismatch: another number of rows).
void keep_common_rows(rows_of_input a, rows_of_input b);

}  // namespace onefold::program
