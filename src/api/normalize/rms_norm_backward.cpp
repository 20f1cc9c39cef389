// SPDX-License-Identifier: Apache-2.0
// onefold::rms_norm_backward: checks shapes, types and overlap, and calls the engine. On the CPU
// the rows' sums of squares, where they are needed, are a reduction.
#include <initializer_list>
#include <vector>

#include "api/choose.hpp"
#include "api/normalize/checks.hpp"
#include "cpu/drivers/normalize/rms_norm_backward.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "onefold/normalize.hpp"
#include "onefold/reduce.hpp"

namespace onefold {
namespace {

status check_gradient(const array_view& x, const array_view& g, const void* dx) {
  if (auto fine = check_rows("rms_norm_backward", x, dx); !fine) return fine;
  if (auto fine = check_rows("rms_norm_backward", g, dx); !fine) return fine;
  if (g.type() != x.type())
    return mismatch("the gradient's elements are " + std::string(name(g.type())) +
                    ", those of x are " + std::string(name(x.type())) + "; convert one of them");
  if (g.axes()[0].extent != x.axes()[0].extent || g.axes()[1].extent != x.axes()[1].extent)
    return mismatch("the gradient and x have different shapes");
  return {};
}

status check_overlap(std::initializer_list<byte_range> read, const byte_range& written) {
  for (const byte_range& one : read)
    if (overlap(written, one))
      return mismatch("an output overlaps what is read or the other output; give it other memory");
  return {};
}

status check(const array_view& x, const array_view& g, const void* dx,
             const rms_norm_backward_options& options) {
  if (auto fine = check_gradient(x, g, dx); !fine) return fine;
  if (options.weight)
    if (auto fine = check_weight(x, *options.weight); !fine) return fine;
  if (options.dweight != nullptr && !options.weight)
    return mismatch("there is no weight whose gradient dweight could be; give options.weight");
  const std::int64_t rows = x.axes()[0].extent, n = x.axes()[1].extent;
  if (!is_aligned(options.inverse, dtype::f64))
    return mismatch("the address of the inverses is not aligned to a double");
  byte_range weights = contiguous(nullptr, 0), dweights = weights;
  if (options.weight) {
    const std::int64_t bytes = n * std::int64_t(size_bytes(options.weight->type()));
    weights = contiguous(options.weight->data(), bytes);
    if (!is_aligned(options.dweight, options.weight->type()))
      return mismatch("the address of dweight is not aligned to its elements");
    if (options.dweight != nullptr) dweights = contiguous(options.dweight, bytes);
  }
  const byte_range inverses = contiguous(options.inverse, rows * 8);
  const byte_range written = dx != nullptr ? written_of(x, dx) : contiguous(nullptr, 0);
  if (rows == 0) return check_overlap({weights}, dweights);
  if (auto fine = check_overlap({weights, inverses, dweights}, written); !fine) return fine;
  return check_overlap({read_of(x), read_of(g), weights, inverses}, dweights);
}

rms_norm_gradients gradients_of(const array_view& x, const array_view& g, void* dx,
                                const rms_norm_backward_options& options) {
  const auto item = std::int64_t(size_bytes(x.type()));
  const array_view* const weight = options.weight ? &*options.weight : nullptr;
  return {x.data(),
          g.data(),
          dx,
          weight ? weight->data() : nullptr,
          options.inverse,
          options.dweight,
          x.axes()[0].extent,
          x.axes()[1].extent,
          x.axes()[0].stride_bytes / item,
          g.axes()[0].stride_bytes / item,
          options.eps,
          x.type(),
          weight != nullptr && weight->type() == dtype::f32 && x.type() != dtype::f32};
}

status on_the_cpu(const array_view& x, rms_norm_gradients request, int threads,
                  const std::stop_token& stop) {
  std::vector<double> inverses;
  if (request.inverse == nullptr) {
    inverses.resize(std::size_t(request.rows));
    options by_rows;
    by_rows.axes = axis(1);
    by_rows.stop = stop;
    const output_view sums(inverses.data(), dtype::f64, {{request.rows, 8}});
    if (auto done = reduce(executor::cpu{threads}, op::sumsq, {x}, sums, by_rows); !done)
      return done;
    for (double& one : inverses) one = inverse_root_mean(one, request.n, request.eps);
    request.inverse = inverses.data();
  }
  return cpu::rms_norm_backward(request, threads, stop);
}

}  // namespace

status rms_norm_backward(const executor& requested, const array_view& x, const array_view& g,
                         void* dx, const rms_norm_backward_options& options) try {
  if (auto fine = check(x, g, dx, options); !fine) return fine;
  const rms_norm_gradients request = gradients_of(x, g, dx, options);
  const executor where = beside(requested, {request.x, request.g, request.dx, request.weight,
                                            request.inverse, request.dweight});
  if (where.gpu() != nullptr) return cuda::rms_norm_backward(*where.gpu(), request);
  const auto machine = cpu::this_machine(where.threads());
  if (!machine) return machine.why();
  if (request.n == 0) return {};
  return on_the_cpu(x, request, machine->threads, options.stop);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
