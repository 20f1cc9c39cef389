// SPDX-License-Identifier: Apache-2.0
// onefold::cross_entropy and its backward pass: check shapes, types, targets and overlap, and call
// the engine.
#include "onefold/loss.hpp"

#include <initializer_list>
#include <string>

#include "api/choose.hpp"
#include "api/normalize/checks.hpp"
#include "cpu/drivers/normalize/cross_entropy.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/normalize/normalize.hpp"

namespace onefold {
namespace {

class_rows rows_of(const array_view& x, const std::int64_t* targets, std::int64_t ignore_index) {
  const auto& axes = x.axes();
  return {x.data(),
          targets,
          axes[0].extent,
          axes[1].extent,
          axes[0].stride_bytes / std::int64_t(size_bytes(x.type())),
          ignore_index,
          x.type()};
}

status check_classes(const char* function, const array_view& x, const void* targets,
                     const void* dx) {
  if (auto fine = check_layout(function, x, dx); !fine) return fine;
  if (x.type() == dtype::f64)
    return {status_code::unsupported,
            function + std::string(" of f64 is not supported; f16, bf16 and f32 are")};
  if (x.axes()[0].extent > 0 && x.axes()[1].extent == 0)
    return mismatch(function + std::string(": the rows have no classes"));
  if (!is_aligned(targets, dtype::i64))
    return mismatch("the address of the targets is not aligned to a 64-bit integer");
  return {};
}

// Addresses of a number or more for each row.
struct row_numbers {
  const void* data;
  dtype type;
  int each;
};
byte_range range_of(const row_numbers& numbers, std::int64_t rows) {
  return contiguous(numbers.data, rows * numbers.each * std::int64_t(size_bytes(numbers.type)));
}
status check_aligned(std::initializer_list<row_numbers> all) {
  for (const row_numbers& one : all)
    if (!is_aligned(one.data, one.type))
      return mismatch("the address of the losses, scales or totals is not aligned to its elements");
  return {};
}

status check_apart(const byte_range& written, std::initializer_list<byte_range> others) {
  for (const byte_range& other : others)
    if (overlap(written, other))
      return mismatch("an output overlaps what is read or the other output; give it other memory");
  return {};
}

// On a CPU, which has them at hand.
status check_targets(const class_rows& rows) {
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const std::int64_t target = rows.targets[row];
    if (!rows.has_class(target) && target != rows.ignore_index)
      return mismatch("the target of row " + std::to_string(row) + " is " + std::to_string(target) +
                      ", but there are " + std::to_string(rows.n) +
                      " classes; rows that do not count have ignore_index");
  }
  return {};
}

}  // namespace

status cross_entropy(const executor& requested, const array_view& x, const std::int64_t* targets,
                     float* losses, const cross_entropy_options& options) try {
  if (auto fine = check_classes("cross_entropy", x, targets, nullptr); !fine) return fine;
  const class_losses request = {rows_of(x, targets, options.ignore_index), losses, options.totals};
  const row_numbers classes = {targets, dtype::i64, 1}, made = {losses, dtype::f32, 1},
                    totals = {options.totals, dtype::f64, 3};
  if (auto fine = check_aligned({made, totals}); !fine) return fine;
  const executor where = beside(requested, {request.x, targets, losses, options.totals});
  if (request.rows > 0) {
    const byte_range read = range_of(classes, request.rows), first = range_of(made, request.rows),
                     second = range_of(totals, request.rows);
    if (auto fine = check_apart(first, {read_of(x), read, second}); !fine) return fine;
    if (auto fine = check_apart(second, {read_of(x), read}); !fine) return fine;
  }
  if (where.gpu() != nullptr) return cuda::cross_entropy(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  if (auto fine = check_targets(request); !fine) return fine;
  return cpu::cross_entropy(request, machine->threads, options.stop);
} catch (...) {
  return detail::memory_refused();
}

status cross_entropy_backward(const executor& requested, const array_view& x,
                              const std::int64_t* targets, const float* scales,
                              const double* totals, void* dx,
                              const cross_entropy_backward_options& options) try {
  if (auto fine = check_classes("cross_entropy_backward", x, targets, dx); !fine) return fine;
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
    return mismatch("label_smoothing is not 0 to 1");
  class_gradients request = {rows_of(x, targets, options.ignore_index), scales, totals, dx};
  if (request.n > 0) request.smoothing = options.label_smoothing / double(request.n);
  const row_numbers classes = {targets, dtype::i64, 1}, scale = {scales, dtype::f32, 1},
                    total = {totals, dtype::f64, 3};
  if (auto fine = check_aligned({scale, total}); !fine) return fine;
  const executor where = beside(requested, {request.x, targets, scales, totals, dx});
  if (request.rows > 0) {
    const byte_range written = written_of(x, dx);
    if (!is_in_place(x, dx) && overlap(written, read_of(x)))
      return mismatch("dx overlaps x; give it other memory, or just that of contiguous rows x");
    if (auto fine =
            check_apart(written, {range_of(classes, request.rows), range_of(scale, request.rows),
                                  range_of(total, request.rows)});
        !fine)
      return fine;
  }
  if (where.gpu() != nullptr) return cuda::cross_entropy_backward(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  if (auto fine = check_targets(request); !fine) return fine;
  return cpu::cross_entropy_backward(request, machine->threads, options.stop);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
