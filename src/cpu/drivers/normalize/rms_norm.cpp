// SPDX-License-Identifier: Apache-2.0
// Multiplies rows by r and by weights. The loops have no branches, so that compilers vectorise
// them.
#include "cpu/drivers/normalize/rms_norm.hpp"

#include <type_traits>

#include "cpu/drivers/normalize/row_pieces.hpp"
#include "cpu/kernels/rounded.hpp"
#include "runtime/float_environment.hpp"

namespace onefold::cpu {
namespace {

// W: the type of the weights; void: none.
template <class T, class W>
void scale_row(const T* x, std::int64_t n, const W* weight, step_type<T> r, T* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    const step_type<T> scaled = step(x[i]) * r;
    if constexpr (std::is_void_v<W>)
      y[i] = rounded<T>(scaled);
    else
      y[i] = rounded<T>(scaled * step(weight[i]));
  }
}

template <class T, class W>
void scale_piece(const rms_norm_rows& of, std::int64_t first, std::int64_t last) {
  const float_environment environment;
  for (std::int64_t row = first; row < last; ++row) {
    const double r = inverse_root_mean(of.inverse[row], of.n, of.eps);
    of.inverse[row] = step(rounded<double>(r));
    scale_row(static_cast<const T*>(of.x) + row * of.stride, of.n, static_cast<const W*>(of.weight),
              step_type<T>(r), static_cast<T*>(of.y) + row * of.n);
  }
}

using piece_scaler = void (*)(const rms_norm_rows& of, std::int64_t first, std::int64_t last);

template <class T>
piece_scaler scaler_of(const rms_norm_rows& of) {
  if (of.weight == nullptr) return scale_piece<T, void>;
  return of.float_weight ? scale_piece<T, float> : scale_piece<T, T>;
}

piece_scaler scaler_of(const rms_norm_rows& of) {
  switch (of.type) {
  case dtype::f16:
    return scaler_of<f16>(of);
  case dtype::bf16:
    return scaler_of<bf16>(of);
  case dtype::f32:
    return scaler_of<float>(of);
  default:
    return of.weight == nullptr ? scale_piece<double, void> : scale_piece<double, double>;
  }
}

}  // namespace

void scale_rows(const rms_norm_rows& of, int threads) {
  const piece_scaler scale = scaler_of(of);
  by_row_pieces(of.rows, of.n * std::int64_t(size_bytes(of.type)), threads,
                [&](std::int64_t first, std::int64_t last) { scale(of, first, last); });
}

}  // namespace onefold::cpu
