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

/// Of a plan with one operator, no mask and no NaN left out, over contiguous elements x; the
/// answers are contiguous in `output`. Else nothing.
std::optional<many_work> many_work_of(const plan& decided, const void* x, dtype output);

}  // namespace onefold::cuda
