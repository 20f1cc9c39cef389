// SPDX-License-Identifier: Apache-2.0
// onefold::rms_norm_backward: checks shapes, types and overlap, and calls the engine. On the CPU
// the rows' sums of squares, where they are needed, are a reduction.
#include <initializer_list>
#include <vector>

#include "api/normalize/checks.hpp"
#include "api/normalize/norm_gradients.hpp"
#include "cpu/drivers/normalize/norm_backward.hpp"
#include "onefold/normalize.hpp"
#include "onefold/reduce.hpp"

namespace onefold {
namespace {

status check(const array_view& x, const array_view& g, const void* dx,
             const rms_norm_backward_options& options) {
  if (auto fine = check_gradient("rms_norm_backward", x, g, dx); !fine) return fine;
  if (options.weight)
    if (auto fine = check_weight(x, *options.weight); !fine) return fine;
  if (options.dweight != nullptr && !options.weight)
    return mismatch("there is no weight whose gradient dweight could be; give options.weight");
  if (options.weight && !is_aligned(options.dweight, options.weight->type()))
    return mismatch("the address of dweight is not aligned to its elements");
  const std::int64_t rows = x.axes()[0].extent;
  if (!is_aligned(options.inverse, dtype::f64))
    return mismatch("the address of the inverses is not aligned to a double");
  const byte_range weights = bytes_of_vector(options.weight),
                   dweights = contiguous(options.dweight, weights.last - weights.first);
  if (rows == 0) return check_apart({{dweights}}, {{weights}});
  const byte_range written[] = {written_of(x, dx), dweights};
  const byte_range read[] = {read_of(x), read_of(g), weights,
                             contiguous(options.inverse, rows * 8)};
  return check_apart(written, read);
}

status on_the_cpu(const array_view& x, norm_gradients request, int threads,
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
  return cpu::norm_backward(request, threads, stop);
}

}  // namespace

status rms_norm_backward(const executor& requested, const array_view& x, const array_view& g,
                         void* dx, const rms_norm_backward_options& options) try {
  if (auto fine = check(x, g, dx, options); !fine) return fine;
  const dtype weight = options.weight ? options.weight->type() : x.type();
  const norm_gradients request = gradients_of(x, g, dx, options, weight);
  return run_gradients(requested, request,
                       [&](int threads) { return on_the_cpu(x, request, threads, options.stop); });
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
