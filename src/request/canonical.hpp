// SPDX-License-Identifier: Apache-2.0
// Canonicalisation: rewrites a request to the same elements and answers in as few axes as possible.
#pragma once

#include <cstdint>

#include "onefold/array_view.hpp"
#include "onefold/axis_set.hpp"
#include "onefold/plan.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// The views that the loops step through together.
struct operands {
  const array_view* x = nullptr;
  const array_view* y = nullptr;     ///< of a product: has the shape of x
  const array_view* mask = nullptr;  ///< broadcast against x, from the last axis
};

/// Splits the axes into kept and reduced ones, drops axes of one element, reverses axes of negative
/// stride, sorts by stride, and merges neighbours that every operand steps through as one axis.
/// `in_order`: reduced axes stay in row-major order, neither sorted nor reversed, for operators
/// that return positions. Fills `kept`, `reduced`, `origin`, `outputs`, `items` of a new plan.
/// Fails: mismatch (an extent below zero, 2^63 elements or more, strides that span 2^63 bytes or
/// more, shapes that do not match), usage (an axis that does not exist, or is named twice).
status canonicalise(const operands& operands, const axis_set& over, bool in_order, plan& into);

}  // namespace onefold
