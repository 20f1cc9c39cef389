// SPDX-License-Identifier: Apache-2.0
// Normalises a matrix copy: swaps or reverses axes so that the engines find contiguous rows.
#include "request/matrix_copy.hpp"

namespace onefold {
namespace {

void reverse_rows(matrix_copy& copy) {
  copy.from += (copy.rows - 1) * copy.from_row;
  copy.to += (copy.rows - 1) * copy.to_row;
  copy.from_row = -copy.from_row;
  copy.to_row = -copy.to_row;
}

}  // namespace

matrix_copy with_axes_swapped(const matrix_copy& copy) {
  return {copy.from,     copy.to,        copy.columns, copy.rows,      copy.from_column,
          copy.from_row, copy.to_column, copy.to_row,  copy.item_bytes};
}

matrix_copy canonical(matrix_copy copy) {
  const auto backward = [&](std::int64_t from, std::int64_t to) {
    return from == -copy.item_bytes || (from != copy.item_bytes && to == -copy.item_bytes);
  };
  for (int axis = 0; axis < 2; ++axis, copy = with_axes_swapped(copy))
    if (backward(copy.from_row, copy.to_row)) reverse_rows(copy);
  return copy.from_column != copy.item_bytes ? with_axes_swapped(copy) : copy;
}

}  // namespace onefold
