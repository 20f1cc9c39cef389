// SPDX-License-Identifier: Apache-2.0
// Rows divided by their root mean square: RMSNorm; LayerNorm, the same of rows less their means;
// softmax and log_softmax of rows; and the gradients of all.
#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"

namespace onefold {

struct rms_norm_options {
  std::optional<array_view> weight{};  ///< one axis of n adjacent elements; none: 1
  double eps = 0;
  double* inverse = nullptr;  ///< where r of each row is written; null: nowhere
  std::stop_token stop{};     ///< a CPU polls it regularly; a stop request gives status cancelled
};

/// y = (x * r) * weight for each row of n elements, r = 1 / sqrt(s / n + eps), s the sum of the
/// row's squares.
/// Shape:  x of two axes, rows and n, floating, adjacent elements in a row, rows at any distance of
///         whole elements; y as many elements of x's type, contiguous. Weights have x's type; f32
///         for f16 and bf16 too. inverse: a double for each row. All aligned to their elements.
///         With executor::cuda all are in device memory; the call enqueues the work and returns, as
///         a graph may capture it.
/// Error:  s is exact, rounded to float64; s / n, the sum with eps, the root and the reciprocal are
///         rounded to float64; x * r, with r rounded, and the product with the weight to float32
///         (float64 for f64); the last to x's type. Each is correctly rounded.
/// Order:  none: a row has the same bits in every batch and layout, and on every device.
/// Fails:  mismatch (other shapes or types; y or inverse overlaps what is read or each other),
///         unsupported (as reduce, and executor::cuda for host memory), out_of_memory,
///         device_error, cancelled; nothing is written, except after the last two.
/// Cost:   CPU: x is read twice. GPU: once, rows of more than 32 KiB and unaligned ones twice.
/// Source: docs/numerics/rms-norm.md.
ONEFOLD_API status rms_norm(const executor& executor, const array_view& x, void* y,
                            const rms_norm_options& options = {});

/// sum = x + residual and y = rms_norm of sum, with the same options.
/// Shape:  x, residual, sum and y as x and y of rms_norm, all of x's type. In place: sum may be the
///         residual, and y may be x, at the same address with contiguous rows.
/// Error:  sum is correctly rounded to x's type; then that of rms_norm.
/// Order:  none. Fails: as rms_norm.
/// Cost:   x and residual are read once, sum and y written once, in one launch; of rows of
///         more than 32 KiB and unaligned ones sum is read again. CPU: four reads and two writes.
/// Source: docs/numerics/rms-norm.md.
ONEFOLD_API status add_rms_norm(const executor& executor, const array_view& x,
                                const array_view& residual, void* sum, void* y,
                                const rms_norm_options& options = {});

struct rms_norm_backward_options {
  std::optional<array_view> weight{};  ///< as rms_norm's
  double eps = 0;                      ///< where there is no inverse
  const double* inverse = nullptr;     ///< r of each row, as rms_norm writes it; null: of eps
  void* dweight = nullptr;  ///< n adjacent elements of the weight's type; null: not wanted
  std::stop_token stop{};   ///< as rms_norm's
};

/// The gradients of rms_norm: for a gradient g of y, with a = g * weight and c = d * (r^3 / n), d
/// the dot product of a row's a and x: dx = a * r - x * c, and dweight = the sum over the rows of
/// g * (x * r).
/// Shape:  x as for rms_norm; g as many elements of x's type, adjacent in rows at any distance; dx
///         as y, or null: not wanted. With executor::cuda all are in device memory; the call
///         enqueues the work and returns, as a graph may capture it.
/// Error:  d is exact, rounded to float64; r^3 / n = ((r * r) * r) / n and c are computed in
///         float64; c and r are rounded to float32 (float64 for f64), and so is each product and
///         the difference; dx is rounded to x's type. dweight is the exact sum of its terms,
///         rounded once to its type. Each step is correctly rounded.
/// Order:  none: dx of a row has the same bits in every batch, dweight in every order of the rows,
///         and both on every device.
/// Fails:  as rms_norm; mismatch: dweight without a weight.
/// Cost:   GPU: x and g are read once, of rows of more than 16 KiB three times; for dweight a
///         workspace of up to 17 MiB, or 24 bytes a column where that is more. CPU: read once from
///         memory; 8 bytes a column and thread three times.
/// Source: docs/numerics/rms-norm.md.
ONEFOLD_API status rms_norm_backward(const executor& executor, const array_view& x,
                                     const array_view& g, void* dx,
                                     const rms_norm_backward_options& options = {});

struct layer_norm_options {
  std::optional<array_view> weight{};  ///< one axis of n adjacent elements; none: no product
  std::optional<array_view> bias{};    ///< the same, of the weight's type; none: no sum
  double eps = 0;
  double* mean = nullptr;     ///< where m of each row is written; null: nowhere
  double* inverse = nullptr;  ///< where r of each row is written; null: nowhere
  std::stop_token stop{};     ///< as rms_norm's
};

/// y = (d * r) * weight + bias for each row of n elements, d = x - m, m the row's mean, and
/// r = 1 / sqrt(s / n + eps), s the sum of the squares of d: rms_norm of d.
/// Shape:  as rms_norm; the bias as the weight; mean: a double for each row.
/// Error:  the row's sum is exact, rounded to float64, and divided by n; x - m is rounded to
///         float64, then d to float32 (float64 for f64). r as for rms_norm, of d; d * r, the
///         product with the weight and the sum with the bias are rounded to float32 (float64 for
///         f64); the last to x's type. Each is correctly rounded.
/// Order:  none: a row has the same bits in every batch and layout, and on every device.
/// Fails:  as rms_norm.
/// Cost:   GPU: x is read once, rows of more than 32 KiB and unaligned ones three times. CPU:
///         twice, and 4 MiB or a row of memory is written once and read twice.
/// Source: docs/numerics/layer-norm.md.
ONEFOLD_API status layer_norm(const executor& executor, const array_view& x, void* y,
                              const layer_norm_options& options = {});

struct layer_norm_backward_options {
  std::optional<array_view> weight{};  ///< as layer_norm's
  std::optional<dtype> bias_type{};    ///< of dbias without a weight; none: x's type
  double eps = 0;                      ///< where there are no means and inverses
  const double* mean = nullptr;        ///< m of each row, as layer_norm writes it; null: of x
  const double* inverse = nullptr;     ///< r of each row, as layer_norm writes it; with the means
  void* dweight = nullptr;  ///< n adjacent elements of the weight's type; null: not wanted
  void* dbias = nullptr;    ///< the same; null: not wanted
  std::stop_token stop{};   ///< as rms_norm's
};

/// The gradients of layer_norm: for a gradient g of y, with a = g * weight, d = x - m, c =
/// D * (r^3 / n), D the dot product of a row's a and d, and A the sum of its a:
/// dx = (a - A / n) * r - d * c; dweight = the sum over the rows of g * (d * r), dbias that of g.
/// Shape:  as rms_norm_backward; dbias as dweight, with or without a weight.
/// Error:  as rms_norm_backward, with d as in layer_norm in the place of x; A is exact, rounded to
///         float64, and so is A / n, which is rounded to float32 (float64 for f64), as is the
///         difference. Each step is correctly rounded.
/// Order:  none: as rms_norm_backward.
/// Fails:  as rms_norm_backward; mismatch: means without inverses, or inverses without means.
/// Cost:   GPU: x and g are read once, of rows of more than 4096 elements (f64: 2048) three times;
///         the workspace has twice the bytes of that of rms_norm_backward. CPU: as
///         rms_norm_backward, and as much again for dbias.
/// Source: docs/numerics/layer-norm.md.
ONEFOLD_API status layer_norm_backward(const executor& executor, const array_view& x,
                                       const array_view& g, void* dx,
                                       const layer_norm_backward_options& options = {});

/// y = exp(x) / sum of exp(x) over each row; log_softmax: its logarithm.
/// Shape:  x and y as for rms_norm; f16, bf16 or f32.
/// Error:  less than 0.5 + 2^-4.7 ulp of y for f32, 0.5 + 2^-11 ulp for f16 and 0.5 + 2^-14 ulp for
///         bf16, log_softmax near 0 too. All of a row is NaN if an element is NaN or +Inf, or all
///         are -Inf.
/// Order:  none: a row has the same bits in every batch and layout, and on every device.
/// Fails:  as rms_norm; unsupported: f64.
/// Cost:   x read once, y written once: on a GPU of rows of up to 72 KiB, of up to 800 KiB where
///         it has clusters, of others x read twice; on a CPU twice.
/// Source: docs/numerics/softmax.md.
ONEFOLD_API status softmax(const executor& executor, const array_view& x, void* y,
                           const std::stop_token& stop = {});
ONEFOLD_API status log_softmax(const executor& executor, const array_view& x, void* y,
                               const std::stop_token& stop = {});

/// The same for a part of each row, of which `whole` has the state of all its elements: rows of a
/// vocabulary that several ranks share are partials() of logsumexp, merged, and this.
/// Shape:  x, y as above, x a part of each row; a state of logsumexp of x's type for each row.
/// Error:  as above. Order: none: an element has the bits that it has in the whole row.
/// Fails:  as above; mismatch (other states); unsupported: on a GPU while the stream is captured.
///         Where a state does not have x's elements what is written is of no use.
/// Cost:   two reads of x; on a GPU as softmax, and the host waits for the states to be copied.
/// Source: docs/numerics/softmax.md.
ONEFOLD_API status softmax_part(const executor& executor, const array_view& x, void* y,
                                std::span<const state> whole, const std::stop_token& stop = {});
ONEFOLD_API status log_softmax_part(const executor& executor, const array_view& x, void* y,
                                    std::span<const state> whole, const std::stop_token& stop = {});

/// The gradients of softmax and log_softmax: for y, what they gave, and a gradient g of y, dx of
/// softmax is (g - c) * y, c the dot product of a row's g and y; of log_softmax g - exp(y) * s, s
/// the sum of a row's g.
/// Shape:  y as x of softmax; g as many elements of y's type, adjacent in rows at any distance; dx
///         as y of softmax. In place: dx may be y or g, at the same address with contiguous rows.
/// Error:  c and s are exact, rounded once to float32; exp(y) is within 2^-29.8 of it, rounded to
///         float32, below 2^-150 0; the difference and the product are rounded to float32, and dx
///         to y's type. Each step but exp is correctly rounded.
/// Order:  none: a row has the same bits in every batch and layout, and on every device.
/// Fails:  as softmax; mismatch: g of another type or shape.
/// Cost:   GPU: y and g are read once, in one launch; rows of more than 256 KiB twice (32 KiB where
///         it has no clusters). CPU: once from memory, in rows that stay in cache.
/// Source: docs/numerics/softmax.md.
ONEFOLD_API status softmax_backward(const executor& executor, const array_view& y,
                                    const array_view& g, void* dx,
                                    const std::stop_token& stop = {});
ONEFOLD_API status log_softmax_backward(const executor& executor, const array_view& y,
                                        const array_view& g, void* dx,
                                        const std::stop_token& stop = {});

}  // namespace onefold
