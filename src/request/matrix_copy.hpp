// SPDX-License-Identifier: Apache-2.0
// A copy of a matrix between layouts, and its normalisation for the engines.
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

/// The same copy with its axes swapped.
matrix_copy with_axes_swapped(const matrix_copy& copy);

/// The same copy in the form the engines expect: with contiguous input rows if a permutation or
/// reversal of the axes gives them, and then with contiguous output columns if possible.
matrix_copy canonical(matrix_copy copy);

}  // namespace onefold
