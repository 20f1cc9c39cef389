// SPDX-License-Identifier: Apache-2.0
// onefold::reduce_losses and onefold::loss_scales: check weights, types, targets and overlap, and
// call the engine.
#include <string>

#include "api/choose.hpp"
#include "api/normalize/checks.hpp"
#include "cpu/drivers/normalize/cross_entropy.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "onefold/loss.hpp"

namespace onefold {
namespace {

constexpr const char* misaligned =
    "the address of the losses, targets, scales, result or divisor is not aligned to its elements";

status check_numbers(const std::string& role, const array_view& x) {
  if (!is_floating(x.type()))
    return mismatch("the " + role + " are " + std::string(name(x.type())) + ", not floating");
  if (x.rank() > 1 || (x.rank() == 1 && !has_rows(x)) || !is_aligned(x.data(), x.type()))
    return mismatch("the " + role + " are not one axis of adjacent elements; copy them");
  return {};
}

status check_weights(std::int64_t rows, const void* targets, const class_weight_options& options) {
  if (rows < 0) return mismatch("there are fewer than no rows");
  if (!is_aligned(targets, dtype::i64)) return mismatch(misaligned);
  if (!options.weights) return {};
  if (auto fine = check_numbers("weights", *options.weights); !fine) return fine;
  if (options.weights->rank() != 1 || (rows > 0 && options.weights->axes()[0].extent < 1))
    return mismatch("the weights are not one axis of a number for each class");
  return {};
}

class_weights weights_of(const std::int64_t* targets, std::int64_t rows,
                         const class_weight_options& options) {
  if (!options.weights) return {targets, rows, options.ignore_index, nullptr, 0, dtype::f32};
  const array_view& weights = *options.weights;
  return {targets,       rows, options.ignore_index, weights.data(), weights.axes()[0].extent,
          weights.type()};
}

// On a CPU, which has them at hand.
status check_targets(const class_weights& rows) {
  for (std::int64_t row = 0; row < rows.rows && rows.weights != nullptr; ++row) {
    const std::int64_t target = rows.targets[row];
    if (target != rows.ignore_index && rows.nearest_class(target) != target)
      return mismatch("the target of row " + std::to_string(row) + " is " + std::to_string(target) +
                      ", but there are weights of " + std::to_string(rows.classes) +
                      " classes; rows that do not count have ignore_index");
  }
  return {};
}

byte_range range_of(const void* data, std::int64_t count, dtype type) {
  return contiguous(data, data == nullptr ? 0 : count * std::int64_t(size_bytes(type)));
}

}  // namespace

status reduce_losses(const executor& requested, const float* losses, const std::int64_t* targets,
                     std::int64_t rows, loss_reduction reduction, void* result, dtype type,
                     double* divisor, const class_weight_options& options) try {
  if (auto fine = check_weights(rows, targets, options); !fine) return fine;
  if (!is_floating(type))
    return mismatch("the result is " + std::string(name(type)) + ", not floating");
  if (!is_aligned(losses, dtype::f32) || !is_aligned(result, type) ||
      !is_aligned(divisor, dtype::f64))
    return mismatch(misaligned);
  const loss_sums request = {weights_of(targets, rows, options),
                             losses,
                             reduction,
                             result,
                             type,
                             reduction == loss_reduction::mean ? divisor : nullptr};
  const std::int64_t results = reduction == loss_reduction::none ? rows : 1;
  const byte_range written[] = {range_of(result, results, type),
                                range_of(request.divisor, 1, dtype::f64)};
  const byte_range read[] = {range_of(losses, rows, dtype::f32),
                             range_of(targets, rows, dtype::i64),
                             range_of(request.weights, request.classes, request.type)};
  if (auto fine = check_apart(written, read); !fine) return fine;
  const executor where =
      beside(requested, {losses, targets, result, request.weights, request.divisor});
  if (where.gpu() != nullptr) return cuda::reduce_losses(*where.gpu(), request);
  if (auto fine = check_targets(request); !fine) return fine;
  return cpu::reduce_losses(request), status();
} catch (...) {
  return detail::memory_refused();
}

status loss_scales(const executor& requested, const array_view& g, const double* divisor,
                   const std::int64_t* targets, std::int64_t rows, float* scales,
                   const class_weight_options& options) try {
  if (auto fine = check_weights(rows, targets, options); !fine) return fine;
  if (auto fine = check_numbers("gradients", g); !fine) return fine;
  const bool of_rows = g.rank() == 1;
  if (of_rows && g.axes()[0].extent != rows)
    return mismatch("there are " + std::to_string(g.axes()[0].extent) + " gradients of " +
                    std::to_string(rows) + " rows");
  if (!is_aligned(scales, dtype::f32) || !is_aligned(divisor, dtype::f64))
    return mismatch(misaligned);
  const row_scales request = {
      weights_of(targets, rows, options), g.data(), g.type(), of_rows, divisor, scales};
  const byte_range written[] = {range_of(scales, rows, dtype::f32)};
  const byte_range read[] = {range_of(g.data(), of_rows ? rows : 1, g.type()),
                             range_of(targets, rows, dtype::i64), range_of(divisor, 1, dtype::f64),
                             range_of(request.weights, request.classes, request.type)};
  if (auto fine = check_apart(written, read); !fine) return fine;
  const executor where = beside(requested, {request.g, divisor, targets, scales, request.weights});
  if (where.gpu() != nullptr) return cuda::loss_scales(*where.gpu(), request);
  if (auto fine = check_targets(request); !fine) return fine;
  return cpu::write_scales(request), status();
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
