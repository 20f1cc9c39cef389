// SPDX-License-Identifier: Apache-2.0
// Losses of rows: the cross entropy of class indices, its gradient, and what becomes of losses.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/loss_reduction.hpp"
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
  double label_smoothing = 0;        ///< the share, 0 to 1, that all classes receive equally
  std::stop_token stop{};            ///< as cross_entropy's
};

/// dx = scale * (softmax(x) - q) for each row, q 1 at the target: the gradient of x, where `scale`
/// is that of the row's loss times its weight. label_smoothing: q is less by that share of it,
/// which all classes receive equally.
/// Shape:  x, targets as for cross_entropy; totals as it has written them for these; a scale for
///         each row; dx as many elements of x's type, contiguous. dx may be x, at the same address
///         with contiguous rows.
/// Error:  less than 0.5 + 2^-4 ulp of dx for f32, 0.5 + 2^-11 ulp for f16 and 0.5 + 2^-14 ulp for
///         bf16, that of a target's element near 0 too; with label_smoothing an ulp of what is
///         subtracted besides. All of a row is NaN where a row of softmax is, and where its scale
///         is not finite.
/// Order:  none, as cross_entropy.
/// Fails:  as cross_entropy; mismatch also if label_smoothing is not 0 to 1.
/// Cost:   x is read once and dx written once; nothing else of that size. Ignored rows are not
///         read.
/// Source: docs/numerics/cross-entropy.md.
ONEFOLD_API status cross_entropy_backward(const executor& executor, const array_view& x,
                                          const std::int64_t* targets, const float* scales,
                                          const double* totals, void* dx,
                                          const cross_entropy_backward_options& options = {});

struct class_weight_options {
  std::int64_t ignore_index = -100;     ///< rows with this target have the weight 0
  std::optional<array_view> weights{};  ///< a floating number for each class; none: 1 each
};

/// Each loss times the weight of its row's class, the sum of these, or that sum divided by the sum
/// of the weights.
/// Shape:  a loss and a target for each of `rows` rows; weights of one axis, adjacent; result: of
///         each row for loss_reduction::none, else one number, of a floating type; divisor: where
///         the weights' sum is written for a mean, or null. All aligned to their elements. With
///         executor::cuda all are in device memory; the call enqueues the work and returns.
/// Error:  a product is rounded to f64, a sum is exact and rounded to f64 once, the quotient to
///         f64; the result is rounded to its type.
/// Order:  none: the bits depend on no order of the rows.
/// Fails:  mismatch (a result or divisor that overlaps what is read or the other one; other shapes
///         or types; on a CPU a target that is no class of the weights), unsupported
///         (executor::cuda for host memory), device_error.
/// Cost:   losses and targets are read once, with a weight each.
ONEFOLD_API status reduce_losses(const executor& executor, const float* losses,
                                 const std::int64_t* targets, std::int64_t rows,
                                 loss_reduction reduction, void* result, dtype type,
                                 double* divisor = nullptr,
                                 const class_weight_options& options = {});

/// The scale of each row that cross_entropy_backward takes: g divided by the divisor, times the
/// weight of the row's class.
/// Shape:  g: one number, or one of each row, adjacent, floating; divisor: that of reduce_losses,
///         for a mean, else null; targets, weights as there; a scale for each of `rows` rows.
/// Error:  quotient and product are rounded to f64, the scale to f32.
/// Fails:  as reduce_losses.
ONEFOLD_API status loss_scales(const executor& executor, const array_view& g, const double* divisor,
                               const std::int64_t* targets, std::int64_t rows, float* scales,
                               const class_weight_options& options = {});

}  // namespace onefold
