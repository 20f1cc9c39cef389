// SPDX-License-Identifier: Apache-2.0
// Subtracts means from rows, and multiplies what is left by r and by weights and adds biases. The
// loops have no branches, so that compilers vectorise them.
#include "cpu/drivers/normalize/layer_norm.hpp"

#include "cpu/drivers/normalize/row_pieces.hpp"
#include "cpu/kernels/rounded.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold::cpu {
namespace {

template <class T>
bool centre_row(const layer_norm_rows& request, const centred_rows& rows, std::int64_t k,
                piece_source& pieces) {
  const std::int64_t row = rows.first + k;
  const double mean = row_mean(request.mean[row], request.n);
  request.mean[row] = step(rounded<double>(mean));
  const T* const x = static_cast<const T*>(request.x) + row * request.stride;
  auto* const to = static_cast<step_type<T>*>(rows.elements) + k * request.n;
  return by_parts(request.n, pieces,
                  [&](std::int64_t at, std::int64_t n) {
                    for (std::int64_t i = at; i < at + n; ++i) to[i] = centred(step(x[i]), mean);
                  })
      .ok();
}

/// W: the type of weights and biases.
template <class T, class W, bool Weighted, bool Biased>
bool scale_row(const layer_norm_rows& request, const centred_rows& rows, std::int64_t k,
               piece_source& pieces) {
  using real = step_type<T>;
  const std::int64_t row = rows.first + k;
  const double inverse = inverse_root_mean(request.inverse[row], request.n, request.eps);
  request.inverse[row] = step(rounded<double>(inverse));
  const real r = real(inverse);
  const real* const x = static_cast<const real*>(rows.elements) + k * request.n;
  const W *const weight = static_cast<const W*>(request.weight), *const bias =
                                                                     static_cast<const W*>(
                                                                         request.bias);
  T* const y = static_cast<T*>(request.y) + row * request.n;
  return by_parts(request.n, pieces,
                  [&](std::int64_t at, std::int64_t n) {
                    for (std::int64_t i = at; i < at + n; ++i) {
                      real scaled = x[i] * r;
                      if constexpr (Weighted) scaled = scaled * step(weight[i]);
                      if constexpr (Biased) scaled = scaled + step(bias[i]);
                      y[i] = rounded<T>(scaled);
                    }
                  })
      .ok();
}

using row_task = bool (*)(const layer_norm_rows& request, const centred_rows& rows, std::int64_t k,
                          piece_source& pieces);

template <class T, class W>
row_task scaler_of(const layer_norm_rows& request) {
  if (request.weight == nullptr)
    return request.bias == nullptr ? scale_row<T, W, false, false> : scale_row<T, W, false, true>;
  return request.bias == nullptr ? scale_row<T, W, true, false> : scale_row<T, W, true, true>;
}

template <class T>
row_task scaler_of(const layer_norm_rows& request) {
  return request.float_weight ? scaler_of<T, float>(request) : scaler_of<T, T>(request);
}

row_task scaler_of(const layer_norm_rows& request) {
  switch (request.type) {
  case dtype::f16:
    return scaler_of<f16>(request);
  case dtype::bf16:
    return scaler_of<bf16>(request);
  case dtype::f32:
    return scaler_of<float, float>(request);
  default:
    return scaler_of<double, double>(request);
  }
}

row_task centrer_of(dtype type) {
  switch (type) {
  case dtype::f16:
    return centre_row<f16>;
  case dtype::bf16:
    return centre_row<bf16>;
  case dtype::f32:
    return centre_row<float>;
  default:
    return centre_row<double>;
  }
}

status each_row(const layer_norm_rows& request, const centred_rows& rows, row_task take_row,
                int threads, const std::stop_token& stop) {
  const auto start = [&] {
    return [&](std::int64_t k, piece_source& pieces) { return take_row(request, rows, k, pieces); };
  };
  return by_rows(rows.count, request.n * std::int64_t(size_bytes(request.type)), threads, stop,
                 start);
}

}  // namespace

status centre_rows(const layer_norm_rows& request, const centred_rows& rows, int threads,
                   const std::stop_token& stop) {
  return each_row(request, rows, centrer_of(request.type), threads, stop);
}

status scale_centred_rows(const layer_norm_rows& request, const centred_rows& rows, int threads,
                          const std::stop_token& stop) {
  return each_row(request, rows, scaler_of(request), threads, stop);
}

}  // namespace onefold::cpu
