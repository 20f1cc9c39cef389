// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which kernels a backward pass launches, one after another; null: none.

#include "cuda/kernels/normalize/gradient_columns.cuh"
#include "cuda/kernels/normalize/gradient_rows.cuh"
#include "cuda/kernels/normalize/long_gradients.cuh"
#include "cuda/primitives/element_kind.hpp"

namespace onefold::cuda {

struct gradient_start {
  using kernel = void (*)(gradient_launch a);
  kernel long_rows, rows, columns;
  unsigned long_blocks, column_blocks, column_sets;
};

inline gradient_start gradient_start_of(const gradient_launch& a) {
  return with_floating<gradient_start>(a.rows.type, [&]<class T>(detail::tag<T>) {
    gradient_start made = {};
    const bool there = a.rows.rows > 0, centred = a.rows.centred,
               columns = a.rows.dweight != nullptr || a.rows.dbias != nullptr;
    if (there && a.is_long() && a.rows.dx != nullptr)
      made.long_rows = centred ? long_gradient_kernel<T, true> : long_gradient_kernel<T, false>;
    if (there && (columns || !a.is_long()))
      made.rows = centred ? gradient_kernel<T, true> : gradient_kernel<T, false>;
    if (columns) made.columns = gradient_columns<T>;
    constexpr std::int64_t most = 0x7FFFFFFF;
    made.long_blocks = unsigned(a.rows.rows < most ? a.rows.rows : most);
    made.column_blocks = unsigned((a.width() + warp_lanes - 1) / warp_lanes);
    made.column_sets = centred ? 2 : 1;
    return made;
  });
}

}  // namespace onefold::cuda
