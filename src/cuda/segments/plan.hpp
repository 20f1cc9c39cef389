// SPDX-License-Identifier: Apache-2.0
// Which plans are rows or columns that the kernels of segments take where they lie.
#pragma once

#include <optional>

#include "cuda/segments/columns.hpp"
#include "onefold/plan.hpp"

namespace onefold::cuda {

struct rows_work {
  segments_request request;
  segments_block block;  ///< without an output
};

/// Of an operator of a plan with no mask, over contiguous elements x; the answers are contiguous,
/// of type `output`: what is selected, and fast sums of short rows of 16 bits. Else nothing.
std::optional<rows_work> rows_work_of(const plan& plan, op what, const void* x, dtype output);

struct columns_work {
  segments_request request;
  columns_block block;  ///< without an output
};

/// The same of columns, and of rows that warps take, on a device of so many multiprocessors.
std::optional<columns_work> columns_work_of(const plan& plan, op what, const void* x, dtype output,
                                            unsigned multiprocessors);

}  // namespace onefold::cuda
