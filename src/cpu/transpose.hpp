// SPDX-License-Identifier: Apache-2.0
// Copies of matrices between layouts, shared by threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold::cpu {

/// to[r * to_row + c * to_column] = from[r * from_row + c * from_column], strides in bytes of any
/// sign.
struct matrix_copy {
  const std::byte* from;
  std::byte* to;
  std::int64_t rows, columns;
  std::int64_t from_row, from_column, to_row, to_column;
  std::int64_t item_bytes;  ///< 1, 2, 4 or 8
};

/// Precondition: no byte is both read and written.
void copy_matrix(const matrix_copy& copy, int threads);

}  // namespace onefold::cpu
