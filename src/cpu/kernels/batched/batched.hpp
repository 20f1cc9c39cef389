// SPDX-License-Identifier: Apache-2.0
// The interface of the batched kernels: many outputs (rows, columns or segments) in one call of one
// SIMD target's loops.
//
// A block is the work of one call by one thread. For each output an exact block gives the correctly
// rounded result or marks it as ambiguous; docs/numerics/intervals.md has the proof. The caller
// computes ambiguous outputs again by an exact task. A fast block has no ambiguous outputs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/accuracy.hpp"
#include "onefold/dtype.hpp"
#include "onefold/op.hpp"

namespace onefold::cpu {

enum class batched_shape : unsigned char {
  rows,      ///< output k: n contiguous elements at x + k * stride
  columns,   ///< output k: n elements at x + k * size_bytes(input), stride apart
  segments,  ///< output k: the elements x[offsets[k]] … x[offsets[k + 1] - 1]; may be none
};

/// The operation of a block; batched_block has the addresses.
struct batched_request {
  batched_shape shape = batched_shape::rows;
  onefold::op op = onefold::op::sum;  ///< sum, mean, norm1, norm2, sumsq, dot
  onefold::accuracy accuracy = onefold::accuracy::exact;
  dtype input = dtype::f32;
  dtype output = dtype::f32;
};

struct batched_block {
  batched_request request;
  const std::byte* x = nullptr;  ///< aligned for its type
  const std::byte* y = nullptr;  ///< of a dot: the second view
  std::int64_t outputs = 0;
  std::int64_t n = 0;         ///< rows: elements of a row; columns: rows of this block; else unused
  std::int64_t stride = 0;    ///< in bytes, of x; may be negative; a multiple of the element's size
  std::int64_t y_stride = 0;  ///< of y; y of segments has the offsets of x
  const std::int64_t* offsets = nullptr;  ///< outputs + 1 of them, not decreasing

  // Columns only: a reduction of several blocks keeps its sums in `accumulators`, which has
  // batched_accumulator_bytes(outputs) bytes at a multiple of 64; the first block initialises it
  // and the last block rounds the results. A block that is both first and last needs none.
  bool first = true;
  bool last = true;
  std::int64_t count = 0;  ///< columns: elements of one output over all blocks
  std::byte* accumulators = nullptr;

  void* out = nullptr;  ///< outputs contiguous values of the output type
  /// Exact: set to 1 where an output is ambiguous, else left unchanged. The output's value is then
  /// unspecified.
  unsigned char* ambiguous = nullptr;
};

/// Computes a block and returns how many outputs are ambiguous (columns: 0 until the last block).
/// Precondition: batched_serves(request), and the thread is inside a float_environment.
using batched_kernel = std::int64_t (*)(const batched_block& block);

/// Whether the kernels support the request; tasks serve all others.
bool batched_serves(const batched_request& request) noexcept;

/// The most elements of a row, a column of one block, or a segment: 2^31.
inline constexpr std::int64_t batched_longest = std::int64_t(1) << 31;

/// The size of `accumulators`.
constexpr std::size_t batched_accumulator_bytes(std::int64_t outputs) noexcept {
  return std::size_t((outputs + 15) / 16 * 16) * 3 * 8;
}

}  // namespace onefold::cpu
