// SPDX-License-Identifier: Apache-2.0
// A copy of a matrix between layouts, and how the engines want to see it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold {

/// to[r * to_row + c * to_column] = from[r * from_row + c * from_column], strides in bytes of any
/// sign.
struct matrix_copy {
  const std::byte* from;
  std::byte* to;
  std::int64_t rows, columns;
  std::int64_t from_row, from_column, to_row, to_column;
  std::int64_t item_bytes;  ///< 1, 2, 4 or 8
};

/// The axes in the other order.
matrix_copy with_axes_swapped(const matrix_copy& copy);

/// The same copy, with rows of the input that are contiguous where there is a way to see it so, and
/// then with columns of the output that are.
matrix_copy canonical(matrix_copy copy);

}  // namespace onefold
