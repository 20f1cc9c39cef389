// SPDX-License-Identifier: Apache-2.0
// Adds rows, and multiplies them by r and by weights. The loops have no branches, so that compilers
// vectorise them.
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

template <class T>
bool add_row(const rms_norm_rows& request, std::int64_t row, piece_source& pieces) {
  const T* const x = static_cast<const T*>(request.x) + row * request.stride;
  const T* const addend = static_cast<const T*>(request.addend) + row * request.addend_stride;
  T* const sum = static_cast<T*>(request.sum) + row * request.n;
  return by_parts(request.n, pieces,
                  [&](std::int64_t at, std::int64_t n) {
                    for (std::int64_t i = at; i < at + n; ++i)
                      sum[i] = rounded<T>(step(x[i]) + step(addend[i]));
                  })
      .ok();
}

using row_task = bool (*)(const rms_norm_rows& request, std::int64_t row, piece_source& pieces);

template <class T>
row_task scaler_of(const rms_norm_rows& request) {
  if (request.weight == nullptr) return scale_row<T, void>;
  return request.float_weight ? scale_row<T, float> : scale_row<T, T>;
}

row_task adder_of(dtype type) {
  switch (type) {
  case dtype::f16:
    return add_row<f16>;
  case dtype::bf16:
    return add_row<bf16>;
  case dtype::f32:
    return add_row<float>;
  default:
    return add_row<double>;
  }
}

row_task scaler_of(const rms_norm_rows& request) {
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

status each_row(const rms_norm_rows& request, row_task take_row, int threads,
                const std::stop_token& stop) {
  const auto start = [&] {
    return [&](std::int64_t row, piece_source& pieces) { return take_row(request, row, pieces); };
  };
  return by_rows(request.rows, request.n * std::int64_t(size_bytes(request.type)), threads, stop,
                 start);
}

}  // namespace

status add_rows(const rms_norm_rows& request, int threads, const std::stop_token& stop) {
  return each_row(request, adder_of(request.type), threads, stop);
}

status scale_rows(const rms_norm_rows& request, int threads, const std::stop_token& stop) {
  return each_row(request, scaler_of(request), threads, stop);
}

}  // namespace onefold::cpu
