// SPDX-License-Identifier: Apache-2.0
// Canonicalisation: the same elements for the same answers, in as few axes as possible.
#pragma once

#include <cstdint>

#include "onefold/array_view.hpp"
#include "onefold/axis_set.hpp"
#include "onefold/plan.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// What is walked together.
struct operands {
  const array_view* x = nullptr;
  const array_view* y = nullptr;     ///< of a product: the same shape as x
  const array_view* mask = nullptr;  ///< broadcast against x, from the last axis
};

/// Splits the axes into kept and reduced ones, drops those of one element, turns reversed ones
/// round, sorts by stride, merges neighbours that walk every operand as one. `in_order`: reduced
/// axes stay in row-major order, not sorted and not turned, for operators that tell positions.
/// Into a new plan: `kept`, `reduced`, `origin`, `outputs`, `items`.
/// Fails: mismatch (an extent below zero, 2^63 elements or more, strides that reach over 2^63
/// bytes, shapes that do not fit), usage (an axis that is not there, or named twice).
status canonicalise(const operands& of, const axis_set& over, bool in_order, plan& into);

}  // namespace onefold
