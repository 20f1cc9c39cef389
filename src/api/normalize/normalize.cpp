// SPDX-License-Identifier: Apache-2.0
// onefold::rms_norm, add_rms_norm, softmax and log_softmax: check shapes, types, states and
// overlap, and call the engine. On the CPU rms_norm's sums are a reduction of the rows.
#include "onefold/normalize.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include "api/choose.hpp"
#include "api/normalize/checks.hpp"
#include "cpu/drivers/normalize/rms_norm.hpp"
#include "cpu/drivers/normalize/softmax.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "onefold/reduce.hpp"

namespace onefold {
namespace {

status overlapping() {
  return mismatch("an output overlaps what is read or the other output; give it other memory");
}

// What is neither x, y, the addend nor the sum.
status check(const array_view& x, const rms_norm_options& options,
             std::initializer_list<byte_range> read, std::initializer_list<byte_range> written) {
  const std::int64_t rows = x.axes()[0].extent, n = x.axes()[1].extent;
  if (options.weight)
    if (auto fine = check_weight(x, *options.weight); !fine) return fine;
  if (rows == 0) return {};
  if (!is_aligned(options.inverse, dtype::f64))
    return mismatch("the address of the inverses is not aligned to a double");
  const byte_range inverses = contiguous(options.inverse, rows * 8);
  byte_range weights = contiguous(nullptr, 0);
  if (options.weight)
    weights =
        contiguous(options.weight->data(), n * std::int64_t(size_bytes(options.weight->type())));
  if (overlap(inverses, weights))
    return mismatch("an output overlaps the weight; give it other memory");
  for (const byte_range& one : read)
    if (overlap(inverses, one)) return overlapping();
  for (const byte_range& one : written) {
    if (overlap(inverses, one)) return overlapping();
    if (overlap(weights, one))
      return mismatch("an output overlaps the weight; give it other memory");
  }
  return {};
}

status check(const array_view& x, const void* y, const rms_norm_options& options) {
  if (auto fine = check_rows("rms_norm", x, y); !fine) return fine;
  if (x.axes()[0].extent == 0) return check(x, options, {}, {});
  return check(x, options, {read_of(x)}, {written_of(x, y)});
}

status check_sum(const array_view& x, const array_view& residual, const void* sum, const void* y,
                 const rms_norm_options& options) {
  constexpr const char* function = "add_rms_norm";
  if (auto fine = check_layout(function, x, y); !fine) return fine;
  if (auto fine = check_layout(function, residual, sum); !fine) return fine;
  if (residual.type() != x.type() || residual.axes()[0].extent != x.axes()[0].extent ||
      residual.axes()[1].extent != x.axes()[1].extent)
    return mismatch("the residual and x have different types or shapes");
  if (x.axes()[0].extent == 0) return check(x, options, {}, {});
  const byte_range ys = written_of(x, y), sums = written_of(x, sum);
  const bool apart = !overlap(ys, sums) && !overlap(ys, read_of(residual)) &&
                     !overlap(sums, read_of(x)) &&
                     (is_in_place(x, y) || !overlap(ys, read_of(x))) &&
                     (is_in_place(residual, sum) || !overlap(sums, read_of(residual)));
  if (!apart) return overlapping();
  return check(x, options, {read_of(x), read_of(residual)}, {ys, sums});
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

status on_the_cpu(array_view x, rms_norm_rows request, int threads, const std::stop_token& stop) {
  if (request.addend != nullptr) {
    if (auto done = cpu::add_rows(request, threads, stop); !done) return done;
    const auto item = std::int64_t(size_bytes(request.type));
    x = array_view(request.sum, request.type,
                   {{request.rows, request.n * item}, {request.n, item}});
    request.x = request.sum, request.stride = request.n;
  }
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
  if (x.type() == dtype::f64) return not_of_doubles(function);
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

status normalize(const executor& requested, const array_view& x, const rms_norm_rows& request,
                 const std::stop_token& stop) {
  const executor where = beside(requested, {request.x, request.y, request.weight, request.inverse,
                                            request.addend, request.sum});
  if (where.gpu() != nullptr) return cuda::rms_norm(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  if (request.rows == 0) return {};
  return on_the_cpu(x, request, machine->threads, stop);
}

}  // namespace

status rms_norm(const executor& requested, const array_view& x, void* y,
                const rms_norm_options& options) try {
  if (auto fine = check(x, y, options); !fine) return fine;
  return normalize(requested, x, rows_of(x, y, options), options.stop);
} catch (...) {
  return detail::memory_refused();
}

status add_rms_norm(const executor& requested, const array_view& x, const array_view& residual,
                    void* sum, void* y, const rms_norm_options& options) try {
  if (auto fine = check_sum(x, residual, sum, y, options); !fine) return fine;
  rms_norm_rows request = rows_of(x, y, options);
  request.addend = residual.data(), request.sum = sum;
  request.addend_stride =
      residual.axes()[0].stride_bytes / std::int64_t(size_bytes(residual.type()));
  return normalize(requested, x, request, options.stop);
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
