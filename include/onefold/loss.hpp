// SPDX-License-Identifier: Apache-2.0
// Losses of rows: the cross entropy of class indices, and its gradient.
#pragma once

#include <cstdint>
#include <stop_token>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"

namespace onefold {

struct cross_entropy_options {
  std::int64_t ignore_index = -100;  ///< rows with this target have the loss 0
  double* totals = nullptr;  ///< where three doubles of each row are written, which the backward
                             ///< pass needs; null: nowhere
  std::stop_token stop{};    ///< a CPU polls it regularly; a stop request gives status cancelled
};

/// The loss of each row, -log_softmax of the element that its target names.
/// Shape:  x of two axes, rows and classes, f16, bf16 or f32, adjacent elements in a row, rows at
///         any distance of whole elements; a target and a loss for each row. All aligned to their
///         elements. With executor::cuda all are in device memory; the call enqueues the work and
///         returns, as a graph may capture it.
/// Error:  as log_softmax's before it is rounded to x's type: less than 0.5 + 2^-4.7 ulp for f32,
///         2^-22.3 of the loss for f16 and bf16, near 0 too. So the loss rounded to x's type has
///         the bits of log_softmax. NaN where a row of softmax is NaN.
/// Order:  none: a row has the same bits in every batch and layout, and on every device.
/// Fails:  mismatch (other shapes or types; no classes; an output overlaps what is read or the
///         other output; on a CPU a target that is no class), unsupported (f64; executor::cuda for
///         host memory), device_error, cancelled; nothing is written, except after the last two. On
///         a GPU a target that is no class makes its row NaN.
/// Cost:   x is read once; on a CPU from cache again where rows are of several bands, on a GPU
///         where plain sums do not decide, one row in 30,000. Ignored rows are not read.
/// Source: docs/numerics/cross-entropy.md.
ONEFOLD_API status cross_entropy(const executor& executor, const array_view& x,
                                 const std::int64_t* targets, float* losses,
                                 const cross_entropy_options& options = {});

struct cross_entropy_backward_options {
  std::int64_t ignore_index = -100;  ///< rows with this target have a gradient of zeros
  std::stop_token stop{};            ///< as cross_entropy's
};

/// dx = scale * (softmax(x) - 1 at the target) for each row: the gradient of x, where `scale` is
/// that of the row's loss times its weight.
/// Shape:  x, targets as for cross_entropy; totals as it has written them for these; a scale for
///         each row; dx as many elements of x's type, contiguous. dx may be x, at the same address
///         with contiguous rows.
/// Error:  less than 0.5 + 2^-4 ulp of dx for f32, 0.5 + 2^-11 ulp for f16 and 0.5 + 2^-14 ulp for
///         bf16, that of a target's element near 0 too. All of a row is NaN where a row of softmax
///         is, and where its scale is not finite.
/// Order:  none, as cross_entropy.
/// Fails:  as cross_entropy.
/// Cost:   x is read once and dx written once; nothing else of that size. Ignored rows are not
///         read.
/// Source: docs/numerics/cross-entropy.md.
ONEFOLD_API status cross_entropy_backward(const executor& executor, const array_view& x,
                                          const std::int64_t* targets, const float* scales,
                                          const double* totals, void* dx,
                                          const cross_entropy_backward_options& options = {});

}  // namespace onefold
