// SPDX-License-Identifier: Apache-2.0
// The kernel of LayerNorm is the CPU engine. All that it reads and writes must be memory of the
// fake device.
#include <cstdlib>
#include <optional>

#include "cuda/fake_runtime.hpp"
#include "cuda/kernels/normalize/layer_norm/layer_norm_launch.hpp"
#include "onefold/normalize.hpp"

namespace onefold::cuda {
namespace {

void normalize_rows(const layer_norm_rows& rows) {
  const auto item = std::int64_t(size_bytes(rows.type));
  const dtype type = rows.float_weight ? dtype::f32 : rows.type;
  const auto vector = [&](const void* data) {
    return data == nullptr ? std::optional<array_view>()
                           : array_view(data, type, {{rows.n, std::int64_t(size_bytes(type))}});
  };
  layer_norm_options options;
  options.weight = vector(rows.weight), options.bias = vector(rows.bias);
  options.eps = rows.eps, options.mean = rows.mean, options.inverse = rows.inverse;
  const array_view x(rows.x, rows.type, {{rows.rows, rows.stride * item}, {rows.n, item}});
  if (!onefold::layer_norm(executor::cpu{1}, x, rows.y, options)) std::abort();
}

}  // namespace

int launch_layer_norm(const layer_norm_launch& launch, void* stream) {
  return int(test::enqueue(stream, [=] { normalize_rows(launch.rows); }));
}

}  // namespace onefold::cuda
