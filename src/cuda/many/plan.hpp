// SPDX-License-Identifier: Apache-2.0
// Which plans are rows or columns that the kernels of many answers take where they lie.
#pragma once

#include <optional>

#include "cuda/many/many.hpp"
#include "onefold/plan.hpp"

namespace onefold::cuda {

struct many_work {
  many_request request;
  many_block block;  ///< without an output
};

/// The contiguous elements x of a plan with several answers and no mask, those contiguous too: else
/// nothing.
std::optional<many_block> many_block_of(const plan& plan, const void* x);

/// Of an operator of a plan with no mask and no NaN left out, over contiguous elements x; the
/// answers are contiguous, of type `output`. Else nothing.
std::optional<many_work> many_work_of(const plan& plan, op what, const void* x, dtype output);

}  // namespace onefold::cuda
