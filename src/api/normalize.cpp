// SPDX-License-Identifier: Apache-2.0
// onefold::rms_norm, softmax and log_softmax: check shapes, types, states and overlap, and call the
// engine.
// On the CPU rms_norm's sums are a reduction of the rows.
#include "onefold/normalize.hpp"

#include <string>
#include <vector>

#include "api/choose.hpp"
#include "cpu/drivers/normalize/rms_norm.hpp"
#include "cpu/drivers/normalize/softmax.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "onefold/reduce.hpp"
#include "request/reach.hpp"

namespace onefold {
namespace {

status mismatch(std::string problem) {
  return {status_code::mismatch, std::move(problem)};
}

bool is_aligned(const void* address, dtype type) {
  return reinterpret_cast<std::uintptr_t>(address) % size_bytes(type) == 0;
}

// Whether the elements of the last axis are adjacent, and those of all others whole elements away.
bool has_rows(const array_view& x) {
  const auto item = std::int64_t(size_bytes(x.type()));
  const auto& axes = x.axes();
  const axis_layout& last = axes[axes.size() - 1];
  return (last.extent < 2 || last.stride_bytes == item) &&
         (axes.size() == 1 || axes[0].stride_bytes % item == 0) && is_aligned(x.data(), x.type());
}

status check_weight(const array_view& x, const array_view& weight) {
  if (weight.rank() != 1 || weight.axes()[0].extent != x.axes()[1].extent)
    return mismatch("the weight is not one axis of as many elements as a row");
  const bool narrow = x.type() == dtype::f16 || x.type() == dtype::bf16;
  if (weight.type() != x.type() && !(narrow && weight.type() == dtype::f32))
    return mismatch("the weight's elements are " + std::string(name(weight.type())) +
                    ", those of x are " + std::string(name(x.type())) +
                    "; convert one of them (f16 and bf16 take weights of f32 too)");
  if (!has_rows(weight)) return mismatch("the weight's elements are not adjacent; copy it");
  return {};
}

byte_range contiguous(const void* data, std::int64_t bytes) {
  const auto* const first = static_cast<const std::byte*>(data);
  return {first, first + bytes};
}

byte_range read_of(const array_view& x) {
  const auto item = std::int64_t(size_bytes(x.type()));
  return x.axes()[1].extent > 0 ? bytes_of(x.data(), x.axes(), item) : contiguous(x.data(), 0);
}
byte_range written_of(const array_view& x, const void* y) {
  return contiguous(y,
                    x.axes()[0].extent * x.axes()[1].extent * std::int64_t(size_bytes(x.type())));
}

// The rows and what is written of the same shape.
status check_rows(const char* function, const array_view& x, const void* y) {
  if (x.rank() != 2)
    return mismatch(function + (" takes rows: two axes, not " + std::to_string(x.rank())));
  if (!is_floating(x.type()))
    return mismatch(function + (" takes floating elements, not " + std::string(name(x.type()))));
  const std::int64_t rows = x.axes()[0].extent, n = x.axes()[1].extent;
  if (rows < 0 || n < 0) return mismatch("an extent is below zero; extents are >= 0");
  if (rows == 0) return {};
  if (n > 0 && !reach_of(x.axes()))
    return mismatch("the strides reach over 2^63 bytes or more, which no memory has");
  if (!has_rows(x) || !is_aligned(y, x.type()))
    return mismatch(
        "elements of a row are not adjacent, rows are not whole elements apart, or an address is "
        "not aligned; copy to an array with contiguous rows");
  if (overlap(written_of(x, y), read_of(x)))
    return mismatch("an output overlaps x or the other output; give it other memory");
  return {};
}

status check(const array_view& x, const void* y, const rms_norm_options& options) {
  if (auto fine = check_rows("rms_norm", x, y); !fine) return fine;
  const std::int64_t rows = x.axes()[0].extent, n = x.axes()[1].extent;
  if (options.weight)
    if (auto fine = check_weight(x, *options.weight); !fine) return fine;
  if (rows == 0) return {};
  if (!is_aligned(options.inverse, dtype::f64))
    return mismatch("the address of the inverses is not aligned to a double");
  const byte_range written = written_of(x, y);
  const byte_range inverses = contiguous(options.inverse, options.inverse ? rows * 8 : 0);
  if (overlap(inverses, read_of(x)) || overlap(written, inverses))
    return mismatch("an output overlaps x or the other output; give it other memory");
  if (options.weight) {
    const array_view& weight = *options.weight;
    const byte_range weights =
        contiguous(weight.data(), n * std::int64_t(size_bytes(weight.type())));
    if (overlap(written, weights) || overlap(inverses, weights))
      return mismatch("an output overlaps the weight; give it other memory");
  }
  return {};
}

rms_norm_rows rows_of(const array_view& x, void* y, const rms_norm_options& options) {
  const auto item = std::int64_t(size_bytes(x.type()));
  const auto& axes = x.axes();
  const array_view* const weight = options.weight ? &*options.weight : nullptr;
  return {x.data(),
          y,
          weight ? weight->data() : nullptr,
          options.inverse,
          axes[0].extent,
          axes[1].extent,
          axes[0].stride_bytes / item,
          options.eps,
          x.type(),
          weight != nullptr && weight->type() == dtype::f32 && x.type() != dtype::f32};
}

status on_the_cpu(const array_view& x, rms_norm_rows request, int threads,
                  const std::stop_token& stop) {
  std::vector<double> inverses;
  if (request.inverse == nullptr) {
    inverses.resize(std::size_t(request.rows));
    request.inverse = inverses.data();
  }
  options by_rows;
  by_rows.axes = axis(1);
  by_rows.stop = stop;
  const output_view sums(request.inverse, dtype::f64, {{request.rows, 8}});
  if (auto done = reduce(executor::cpu{threads}, op::sumsq, {x}, sums, by_rows); !done) return done;
  return cpu::scale_rows(request, threads, stop);
}

// One state of each row, of logsumexp of elements of x's type.
status check_states(const char* function, const array_view& x, std::span<const state> whole) {
  if (std::int64_t(whole.size()) != x.axes()[0].extent)
    return mismatch(function + (" takes a state for each row: " + std::to_string(whole.size()) +
                                " states, " + std::to_string(x.axes()[0].extent) + " rows"));
  for (const state& one : whole)
    if (one.op() != op::logsumexp || one.input() != x.type())
      return mismatch(function + (" takes states of logsumexp of " + std::string(name(x.type())) +
                                  ", not of " + std::string(name(one.op())) + " of " +
                                  std::string(name(one.input()))));
  return {};
}

// `whole`: null, or a state of each row.
status softmax_of(const char* function, bool logarithm, const executor& requested,
                  const array_view& x, void* y, const std::span<const state>* whole,
                  const std::stop_token& stop) try {
  if (auto fine = check_rows(function, x, y); !fine) return fine;
  if (x.type() == dtype::f64)
    return {status_code::unsupported,
            function + std::string(" of f64 is not supported; f16, bf16 and f32 are")};
  if (whole != nullptr)
    if (auto fine = check_states(function, x, *whole); !fine) return fine;
  const auto& axes = x.axes();
  const softmax_rows request = {x.data(),
                                y,
                                axes[0].extent,
                                axes[1].extent,
                                axes[0].stride_bytes / std::int64_t(size_bytes(x.type())),
                                x.type(),
                                logarithm,
                                whole != nullptr ? whole->data() : nullptr};
  const executor where = beside(requested, {request.x, y});
  if (where.gpu() != nullptr) return cuda::softmax(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  return cpu::softmax(request, machine->threads, stop);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace

status rms_norm(const executor& requested, const array_view& x, void* y,
                const rms_norm_options& options) try {
  if (auto fine = check(x, y, options); !fine) return fine;
  const rms_norm_rows request = rows_of(x, y, options);
  const executor where = beside(requested, {request.x, y, request.weight, request.inverse});
  if (where.gpu() != nullptr) return cuda::rms_norm(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  if (request.rows == 0) return {};
  return on_the_cpu(x, request, machine->threads, options.stop);
} catch (...) {
  return detail::memory_refused();
}

status softmax(const executor& executor, const array_view& x, void* y,
               const std::stop_token& stop) {
  return softmax_of("softmax", false, executor, x, y, nullptr, stop);
}
status log_softmax(const executor& executor, const array_view& x, void* y,
                   const std::stop_token& stop) {
  return softmax_of("log_softmax", true, executor, x, y, nullptr, stop);
}

status softmax_part(const executor& executor, const array_view& x, void* y,
                    std::span<const state> whole, const std::stop_token& stop) {
  return softmax_of("softmax_part", false, executor, x, y, &whole, stop);
}
status log_softmax_part(const executor& executor, const array_view& x, void* y,
                        std::span<const state> whole, const std::stop_token& stop) {
  return softmax_of("log_softmax_part", true, executor, x, y, &whole, stop);
}

}  // namespace onefold
