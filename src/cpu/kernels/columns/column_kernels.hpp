// SPDX-License-Identifier: Apache-2.0
// Neighbouring columns in one call of one SIMD target's loops: a strip. A lane is a column.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/dtype.hpp"
#include "onefold/op.hpp"

namespace onefold::cpu {

inline constexpr std::size_t strip_state_bytes = 32768;

/// Some rows of neighbouring columns. The strip's first rows begin its folds, its last ones write
/// the answers.
struct column_strip {
  const std::byte* x;    ///< aligned for its type
  std::int64_t columns;  ///< up to those of its kernel
  std::int64_t stride;   ///< bytes from a row to the next; a multiple of the element's size
  std::int64_t rows;     ///< of this call
  std::int64_t first;    ///< rows of earlier calls
  bool last;
  std::int64_t first_index;  ///< of row 0, for positions
  double divisor;            ///< of variances
  std::int64_t flip;         ///< that of the kernel
  std::byte* state;          ///< strip_state_bytes at a multiple of 64
  void* out;                 ///< contiguous answers of the operator's default type
  /// Set to 1 for a column that needs a state: its answer is not certain, or it has a NaN. Null
  /// where no answer has to be certain: NaNs propagate.
  unsigned char* marks;
};

struct column_kernel {
  /// Returns how many columns are marked; 0 until the last rows. Null: tasks serve the operator.
  std::int64_t (*run)(const column_strip& strip) = nullptr;
  std::int64_t most_columns = 0;  ///< of a strip, whose folds stay in the first-level cache
  std::int64_t most_rows = 0;     ///< of all its calls
  bool certifies = false;         ///< rounds answers that are certain and marks the others
  std::int64_t flip = 0;          ///< of an extremum: the bits in which its keys differ
};

struct column_table {
  column_kernel (*find)(op op, dtype input);
};

}  // namespace onefold::cpu
