// SPDX-License-Identifier: Apache-2.0
// Many outputs at once: rows, columns and segments, as loops of one SIMD target.
//
// A block is what one call of one thread does. An exact block gives, for each output, the correctly
// rounded result or the word "undecided"; docs/numerics/brackets.md has the proof. Undecided
// outputs are the caller's to sum again by an exact task. A fast block decides all of its outputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/accuracy.hpp"
#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "state/family.hpp"

namespace onefold::cpu {

enum class many_shape : unsigned char {
  rows,      ///< output k: n contiguous elements at x + k * stride
  columns,   ///< output k: n elements at x + k * size_bytes(input), stride apart
  segments,  ///< output k: the elements x[offsets[k]] … x[offsets[k + 1] - 1]; may be none
};

/// What a block computes; where it lies is in many_block.
struct many_request {
  many_shape shape = many_shape::rows;
  op what = op::sum;  ///< sum, mean, norm1, norm2, sumsq, dot
  accuracy how = accuracy::exact;
  dtype input = dtype::f32;
  dtype output = dtype::f32;
};

struct many_block {
  many_request request;
  const std::byte* x = nullptr;  ///< aligned for its type
  const std::byte* y = nullptr;  ///< of a dot: the second view
  std::int64_t outputs = 0;
  std::int64_t n = 0;         ///< rows: elements of a row; columns: rows of this block; else unused
  std::int64_t stride = 0;    ///< in bytes, of x; may be negative; a multiple of the element's size
  std::int64_t y_stride = 0;  ///< of y; y of segments has the offsets of x
  const std::int64_t* offsets = nullptr;  ///< outputs + 1 of them, not falling

  // Columns alone: a reduction in several blocks keeps its sums in `accumulators`, room for
  // many_accumulator_bytes(outputs) bytes at a multiple of 64, which the first block starts and the
  // last one finishes. One block that is first and last needs none.
  bool first = true;
  bool last = true;
  std::int64_t count = 0;  ///< columns: elements of one output over all blocks
  std::byte* accumulators = nullptr;

  void* out = nullptr;  ///< outputs contiguous values of the output type
  /// Exact: set to 1 where an output is undecided, else left as it is. Its value is then
  /// unspecified.
  unsigned char* undecided = nullptr;
};

/// Takes in a block and returns how many outputs are undecided (columns: 0 until the last block).
/// Precondition: many_serves(request), and the thread is inside a float_environment.
using many_kernel = std::int64_t (*)(const many_block& block);

/// Whether the kernels know the request; others are a task's.
bool many_serves(const many_request& request) noexcept;

/// Longest rows and columns of one block: 2^31 elements, of a segment likewise.
inline constexpr std::int64_t many_longest = std::int64_t(1) << 31;

/// Room that `accumulators` needs.
constexpr std::size_t many_accumulator_bytes(std::int64_t outputs) noexcept {
  return std::size_t((outputs + 15) / 16 * 16) * 3 * 8;
}

}  // namespace onefold::cpu
