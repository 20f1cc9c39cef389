// SPDX-License-Identifier: Apache-2.0
// onefold::layer_norm: checks shapes, types and overlap, and calls the engine. On the CPU the sums
// of rows and of the squares of what is centred are reductions.
#include <algorithm>
#include <memory>
#include <vector>

#include "api/choose.hpp"
#include "api/normalize/checks.hpp"
#include "cpu/drivers/normalize/layer_norm.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "onefold/normalize.hpp"
#include "onefold/reduce.hpp"

namespace onefold {
namespace {

status check_vectors(const array_view& x, const layer_norm_options& options) {
  if (options.weight)
    if (auto fine = check_weight(x, *options.weight); !fine) return fine;
  if (options.bias)
    if (auto fine = check_weight(x, *options.bias, "bias"); !fine) return fine;
  if (options.weight && options.bias && options.weight->type() != options.bias->type())
    return mismatch("the weight's elements are " + std::string(name(options.weight->type())) +
                    ", those of the bias are " + std::string(name(options.bias->type())) +
                    "; convert one of them");
  return {};
}

status check(const array_view& x, const void* y, const layer_norm_options& options) {
  if (auto fine = check_layout("layer_norm", x, y); !fine) return fine;
  if (auto fine = check_vectors(x, options); !fine) return fine;
  const std::int64_t rows = x.axes()[0].extent;
  if (rows == 0) return {};
  if (!is_aligned(options.mean, dtype::f64) || !is_aligned(options.inverse, dtype::f64))
    return mismatch("the address of the means or of the inverses is not aligned to a double");
  const byte_range written[] = {written_of(x, y), contiguous(options.mean, rows * 8),
                                contiguous(options.inverse, rows * 8)};
  const byte_range read[] = {read_of(x), bytes_of_vector(options.weight),
                             bytes_of_vector(options.bias)};
  return check_apart(written, read);
}

layer_norm_rows rows_of(const array_view& x, void* y, const layer_norm_options& options) {
  const auto& axes = x.axes();
  const bool wide_weight = (options.weight && options.weight->type() != x.type()) ||
                           (options.bias && options.bias->type() != x.type());
  return {x.data(),
          y,
          options.weight ? options.weight->data() : nullptr,
          options.bias ? options.bias->data() : nullptr,
          options.mean,
          options.inverse,
          axes[0].extent,
          axes[1].extent,
          axes[0].stride_bytes / std::int64_t(size_bytes(x.type())),
          options.eps,
          x.type(),
          wide_weight};
}

status reduce_rows(op operation, const array_view& x, double* sums, int threads,
                   const std::stop_token& stop) {
  options by_rows;
  by_rows.axes = axis(1);
  by_rows.stop = stop;
  return reduce(executor::cpu{threads}, operation, {x},
                output_view(sums, dtype::f64, {{x.axes()[0].extent, 8}}), by_rows);
}

// Rows whose centred elements are in memory at a time: of 4 MiB, and at least one.
constexpr std::int64_t centred_bytes = std::int64_t(4) << 20;

status on_the_cpu(const array_view& x, layer_norm_rows request, int threads,
                  const std::stop_token& stop) {
  std::vector<double> means, inverses;
  const auto there = [&](double*& output, std::vector<double>& own) {
    if (output != nullptr) return;
    own.resize(std::size_t(request.rows));
    output = own.data();
  };
  there(request.mean, means), there(request.inverse, inverses);
  if (auto done = reduce_rows(op::sum, x, request.mean, threads, stop); !done) return done;
  const dtype type = request.type == dtype::f64 ? dtype::f64 : dtype::f32;
  const auto item = std::int64_t(size_bytes(type));
  const std::int64_t row_bytes = std::max<std::int64_t>(request.n * item, 1);
  const std::int64_t step = std::clamp<std::int64_t>(centred_bytes / row_bytes, 1, request.rows);
  const auto memory =
      std::make_unique_for_overwrite<double[]>(std::size_t(step * row_bytes / 8 + 1));
  for (std::int64_t first = 0; first < request.rows; first += step) {
    const cpu::centred_rows rows = {first, std::min(step, request.rows - first), memory.get()};
    if (auto done = cpu::centre_rows(request, rows, threads, stop); !done) return done;
    const array_view centred(memory.get(), type,
                             {{rows.count, request.n * item}, {request.n, item}});
    if (auto done = reduce_rows(op::sumsq, centred, request.inverse + first, threads, stop); !done)
      return done;
    if (auto done = cpu::scale_centred_rows(request, rows, threads, stop); !done) return done;
  }
  return {};
}

}  // namespace

status layer_norm(const executor& requested, const array_view& x, void* y,
                  const layer_norm_options& options) try {
  if (auto fine = check(x, y, options); !fine) return fine;
  const layer_norm_rows request = rows_of(x, y, options);
  const executor where = beside(requested, {request.x, request.y, request.weight, request.bias,
                                            request.mean, request.inverse});
  if (where.gpu() != nullptr) return cuda::layer_norm(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  if (request.rows == 0) return {};
  return on_the_cpu(x, request, machine->threads, options.stop);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
