// SPDX-License-Identifier: Apache-2.0
// onefold::layer_norm_backward: checks shapes, types and overlap, and calls the engine. On the CPU
// layer_norm gives the means and inverses that are missing.
#include <memory>
#include <vector>

#include "api/normalize/checks.hpp"
#include "api/normalize/norm_gradients.hpp"
#include "cpu/drivers/normalize/norm_backward.hpp"
#include "onefold/normalize.hpp"

namespace onefold {
namespace {

// The type of dweight and dbias.
dtype type_of_vectors(const array_view& x, const layer_norm_backward_options& options) {
  return options.weight ? options.weight->type() : options.bias_type.value_or(x.type());
}

status check_vectors(const array_view& x, const layer_norm_backward_options& options) {
  if (options.weight)
    if (auto fine = check_weight(x, *options.weight); !fine) return fine;
  if (options.dweight != nullptr && !options.weight)
    return mismatch("there is no weight whose gradient dweight could be; give options.weight");
  const dtype type = type_of_vectors(x, options);
  if (type != x.type() && !(type == dtype::f32 && size_bytes(x.type()) == 2))
    return mismatch("the elements of dbias would be " + std::string(name(type)) +
                    ", those of x are " + std::string(name(x.type())) +
                    " (f16 and bf16 take f32 too)");
  if (!is_aligned(options.dweight, type) || !is_aligned(options.dbias, type))
    return mismatch("the address of dweight or dbias is not aligned to its elements");
  if ((options.mean == nullptr) != (options.inverse == nullptr))
    return mismatch("means and inverses come together: give both or none");
  if (!is_aligned(options.mean, dtype::f64) || !is_aligned(options.inverse, dtype::f64))
    return mismatch("the address of the means or of the inverses is not aligned to a double");
  return {};
}

status check(const array_view& x, const array_view& g, const void* dx,
             const layer_norm_backward_options& options) {
  if (auto fine = check_gradient("layer_norm_backward", x, g, dx); !fine) return fine;
  if (auto fine = check_vectors(x, options); !fine) return fine;
  const std::int64_t rows = x.axes()[0].extent;
  const auto bytes = x.axes()[1].extent * std::int64_t(size_bytes(type_of_vectors(x, options)));
  const byte_range weights = bytes_of_vector(options.weight),
                   dweights = contiguous(options.dweight, bytes),
                   dbiases = contiguous(options.dbias, bytes);
  if (rows == 0) return check_apart({{dweights, dbiases}}, {{weights}});
  const byte_range written[] = {written_of(x, dx), dweights, dbiases};
  const byte_range read[] = {read_of(x), read_of(g), weights, contiguous(options.mean, rows * 8),
                             contiguous(options.inverse, rows * 8)};
  return check_apart(written, read);
}

status on_the_cpu(const array_view& x, norm_gradients request, int threads,
                  const std::stop_token& stop) {
  std::vector<double> means, inverses;
  if (request.inverse == nullptr) {
    means.resize(std::size_t(request.rows)), inverses.resize(means.size());
    std::unique_ptr<std::byte[]> unread;
    const std::int64_t bytes = request.rows * request.n * std::int64_t(size_bytes(request.type));
    if (request.dx == nullptr)
      unread = std::make_unique_for_overwrite<std::byte[]>(std::size_t(bytes));
    layer_norm_options options;
    options.eps = request.eps, options.stop = stop;
    options.mean = means.data(), options.inverse = inverses.data();
    void* const y = request.dx != nullptr ? request.dx : unread.get();
    if (auto done = layer_norm(executor::cpu{threads}, x, y, options); !done) return done;
    request.mean = means.data(), request.inverse = inverses.data();
  }
  return cpu::norm_backward(request, threads, stop);
}

}  // namespace

status layer_norm_backward(const executor& requested, const array_view& x, const array_view& g,
                           void* dx, const layer_norm_backward_options& options) try {
  if (auto fine = check(x, g, dx, options); !fine) return fine;
  norm_gradients request = gradients_of(x, g, dx, options, type_of_vectors(x, options));
  request.centred = true, request.mean = options.mean, request.dbias = options.dbias;
  return run_gradients(requested, request,
                       [&](int threads) { return on_the_cpu(x, request, threads, options.stop); });
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
