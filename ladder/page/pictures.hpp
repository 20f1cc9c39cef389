// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a rung small enough for pictures that show every element.

#include "ladder/page/page.hpp"

namespace onefold::ladder {

/// A published defect is run at the smallest launch that has its verdict.
page_pictures pictures_of(const rung& r, const trial_options& launch);

/// Whether stores hold elements: a long integer's digits and transposed pixels are none.
bool folds_elements(const rung& r);

/// Whether a block takes a step without a barrier of the block before it.
bool steps_without_barrier(const fold_tree& tree);

}  // namespace onefold::ladder
