// SPDX-License-Identifier: Apache-2.0
// The layout of elements and answers in memory: computed once from a plan, used by both engines.
#pragma once

#include <cstdint>

#include "onefold/array_view.hpp"
#include "onefold/plan.hpp"

namespace onefold {

enum class layout_form : unsigned char {
  full,     ///< one answer
  rows,     ///< the elements of an answer are contiguous
  columns,  ///< elements of neighbouring answers are contiguous
  across,   ///< contiguous blocks of rows; an answer reduces one row of each
  strided,  ///< all others
};

/// What the planner asks.
struct element_runs {
  bool contiguous_items = false;    ///< elements of one answer
  bool contiguous_answers = false;  ///< elements of neighbouring answers
  bool aligned = false;             ///< every element is at a multiple of its size
};

/// The elements as x[across][outer][n][inner], reduced over `across` and n. The extents of strided
/// elements are products of those of their axes.
struct layout : element_runs {
  layout_form form = layout_form::strided;
  std::int64_t across = 1, outer = 1, n = 1, inner = 1;
  std::int64_t width = 1;  ///< bytes of an element of x
  bool dense = false;      ///< all elements of x are contiguous in the order above
  bool in_order = false;   ///< the loops visit the answers in row-major order
};

/// x, y: the first elements in loop order; y is used only for operators of two views.
element_runs runs_of(const plan& plan, const void* x, dtype x_type, const void* y, dtype y_type);

/// The same. Precondition: the plan has answers.
layout layout_of(const plan& plan, const void* x, dtype x_type, const void* y, dtype y_type);

/// Whether an output's elements are contiguous in the order of their indices, and aligned.
bool is_dense(const output_view& output);

}  // namespace onefold
