// SPDX-License-Identifier: Apache-2.0
// Multiplies rows by r and by weights. The loops have no branches, so that compilers vectorise
// them.
#include "cpu/drivers/normalize/rms_norm.hpp"

#include <type_traits>

#include "cpu/drivers/normalize/row_pieces.hpp"
#include "cpu/kernels/rounded.hpp"

namespace onefold::cpu {
namespace {

// W: the type of the weights; void: none.
template <class T, class W>
void scale_elements(const T* x, std::int64_t n, const W* weight, step_type<T> r, T* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    const step_type<T> scaled = step(x[i]) * r;
    if constexpr (std::is_void_v<W>)
      y[i] = rounded<T>(scaled);
    else
      y[i] = rounded<T>(scaled * step(weight[i]));
  }
}

template <class T, class W>
bool scale_row(const rms_norm_rows& request, std::int64_t row, piece_source& pieces) {
  const double r = inverse_root_mean(request.inverse[row], request.n, request.eps);
  request.inverse[row] = step(rounded<double>(r));
  const T* const x = static_cast<const T*>(request.x) + row * request.stride;
  T* const y = static_cast<T*>(request.y) + row * request.n;
  return by_parts(request.n, pieces,
                  [&](std::int64_t at, std::int64_t n) {
                    const W* weight = static_cast<const W*>(request.weight);
                    if constexpr (!std::is_void_v<W>) weight += at;
                    scale_elements(x + at, n, weight, step_type<T>(r), y + at);
                  })
      .ok();
}

using row_scaler = bool (*)(const rms_norm_rows& request, std::int64_t row, piece_source& pieces);

template <class T>
row_scaler scaler_of(const rms_norm_rows& request) {
  if (request.weight == nullptr) return scale_row<T, void>;
  return request.float_weight ? scale_row<T, float> : scale_row<T, T>;
}

row_scaler scaler_of(const rms_norm_rows& request) {
  switch (request.type) {
  case dtype::f16:
    return scaler_of<f16>(request);
  case dtype::bf16:
    return scaler_of<bf16>(request);
  case dtype::f32:
    return scaler_of<float>(request);
  default:
    return request.weight == nullptr ? scale_row<double, void> : scale_row<double, double>;
  }
}

}  // namespace

status scale_rows(const rms_norm_rows& request, int threads, const std::stop_token& stop) {
  const row_scaler scale = scaler_of(request);
  const auto start = [&] {
    return [&](std::int64_t row, piece_source& pieces) { return scale(request, row, pieces); };
  };
  return by_rows(request.rows, request.n * std::int64_t(size_bytes(request.type)), threads, stop,
                 start);
}

}  // namespace onefold::cpu
