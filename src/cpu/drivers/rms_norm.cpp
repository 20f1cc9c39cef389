// SPDX-License-Identifier: Apache-2.0
// Multiplies rows by r and by weights. The loops have no branches, so that compilers vectorise
// them.
#include "cpu/drivers/rms_norm.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>

#include "onefold/detail/float_format.hpp"
#include "request/tuning.hpp"
#include "runtime/float_environment.hpp"
#include "runtime/threads.hpp"

namespace onefold::cpu {
namespace {

// Bytes of the rows that a task takes at once.
constexpr std::int64_t piece_bytes = std::int64_t(1) << 16;

template <class T>
using step_type = std::conditional_t<std::is_same_v<T, double>, double, float>;

float step(bf16 x) {
  return std::bit_cast<float>(std::uint32_t(x.bits) << 16);
}
// 2^112 is what the exponents' biases differ by: subnormal halves become normal.
float step(f16 x) {
  const std::uint32_t magnitude = std::uint32_t(x.bits & 0x7FFF) << 13;
  const std::uint32_t sign = std::uint32_t(x.bits & 0x8000) << 16;
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const std::uint32_t special = magnitude | 0x7F800000;
  return std::bit_cast<float>((magnitude >= 0x0F800000 ? special : finite) | sign);
}
float step(float x) {
  return x;
}
double step(double x) {
  return x;
}

// To nearest even in T; NaNs become the canonical one.
template <class T>
T rounded(step_type<T> y) {
  using format = detail::float_format<T>;
  const auto bits = detail::to_bits(y);
  if constexpr (std::is_same_v<T, bf16>) {
    const std::uint32_t nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return {std::uint16_t((bits & 0x7FFFFFFF) > 0x7F800000 ? format::quiet_nan : nearest)};
  } else if constexpr (std::is_same_v<T, f16>) {
    const std::uint32_t magnitude = bits & 0x7FFFFFFF, odd = magnitude >> 13 & 1;
    // Below 2^-14 a sum with 1/2 has the unit of subnormal halves.
    const auto low =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000;
    const std::uint32_t usual = (magnitude + 0xFFF + odd - (112u << 23)) >> 13;
    std::uint32_t half = magnitude < 0x38800000 ? low : usual;
    half = magnitude >= 0x477FF000 ? std::uint32_t(format::infinity) : half;
    half |= bits >> 16 & 0x8000;
    return {std::uint16_t(magnitude > 0x7F800000 ? format::quiet_nan : half)};
  } else {
    const auto magnitude = bits & ~format::sign_bit;
    return detail::from_bits<T>(magnitude > format::infinity ? format::quiet_nan : bits);
  }
}

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
  const std::int64_t row_bytes =
      std::max<std::int64_t>(of.n * std::int64_t(size_bytes(of.type)), 1);
  const std::int64_t rows = std::max<std::int64_t>(piece_bytes / row_bytes, 1);
  const std::int64_t pieces = of.rows / rows + (of.rows % rows != 0);
  std::atomic<std::int64_t> next{0};
  const auto task = [&](int) {
    for (std::int64_t i = next++; i < pieces; i = next++)
      scale(of, i * rows, std::min((i + 1) * rows, of.rows));
  };
  if (threads <= 1 || of.rows * row_bytes < tuning::alone_bytes)
    task(0);
  else
    run_tasks(int(std::min<std::int64_t>(threads, pieces)), task);
}

}  // namespace onefold::cpu
