// SPDX-License-Identifier: Apache-2.0
// Rows added to the answers that their keys name: index_add, scatter and segment sums of rows.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// What the initial elements of an answer are. An answer without rows is its initial elements in
/// every role.
enum class initial_role : unsigned char {
  element,   ///< one more element each, which a mean counts
  addend,    ///< one more term of the sum, which a mean does not count
  fallback,  ///< the answer where there are no rows, and nothing else
};

struct scatter_options {
  std::optional<array_view> initial{};  ///< answers x n, as the rows of x; none: no such elements
  initial_role role = initial_role::element;
  std::stop_token stop{};  ///< a CPU polls it regularly; a stop request gives status cancelled
};

/// out[k][c] = the sum, or the mean, of x[i][c] over all rows i whose key is k, and initial[k][c].
/// Shape:  x of two axes, rows and n, floating, adjacent elements in a row, rows at any distance of
///         whole elements; keys of one axis, an i64 or i32 for each row, contiguous; out
///         answers x n elements of x's type, contiguous. All aligned to their elements. With
///         executor::cuda all are in device memory; the call enqueues the work and returns, as a
///         graph may capture it.
/// Error:  none: each element of out is the exact sum or mean, rounded once. Without rows and
///         initial elements a sum is +0 and a mean is NaN.
/// Order:  none: the same bits for every order of the rows, and on every device.
/// Fails:  mismatch (other shapes or types; out overlaps what is read; on a CPU a key that is no
///         answer), unsupported (as reduce; other operators; integers, whose additions wrap exactly
///         in any order; executor::cuda for host memory; there 2^31 rows or answers, or more),
///         out_of_memory, device_error, cancelled; nothing is written, except after the last two.
///         On a GPU rows whose key is no answer are left out.
/// Cost:   keys are sorted by counting: 8 bytes a row and an answer. x is read once, in lists of
///         rows; columns that are ambiguous once more. Rows of one element on a CPU: 32 bytes an
///         answer, for each thread where that pays; in the order of memory.
/// Source: docs/numerics/scatter.md.
ONEFOLD_API status scatter_rows(const executor& executor, op op, const array_view& x,
                                const array_view& keys, void* out, std::int64_t answers,
                                const scatter_options& options = {});

/// The same for rows in segments: answer k is of the rows offsets[k] … offsets[k + 1] - 1.
/// Shape:  as scatter_rows; offsets of one axis, i64, contiguous, non-decreasing, within 0 … rows,
///         one more than there are answers.
/// Fails:  as scatter_rows; mismatch: on a CPU offsets that decrease or exceed the rows. On a GPU
///         answers of such offsets are unspecified; nothing but x is read for them.
ONEFOLD_API status segment_rows(const executor& executor, op op, const array_view& x,
                                const array_view& offsets, void* out,
                                const scatter_options& options = {});

}  // namespace onefold
