// SPDX-License-Identifier: Apache-2.0
// Tasks of fast reductions: a piece is a chunk, its state a sum or moments in the accumulator type.
#pragma once

#include <memory>

#include "cpu/tasks/task.hpp"
#include "onefold/dtype.hpp"
#include "state/family.hpp"

namespace onefold::cpu {

/// A task whose states are fast_total or fast_moments; its pieces are chunks: of chunk_items
/// elements but for the last, and none is empty. Of another family than total, magnitudes,
/// squares, products and moments: nullptr.
std::unique_ptr<ordered_task> make_fast_task(family of, dtype input);

}  // namespace onefold::cpu
