// SPDX-License-Identifier: Apache-2.0
#include "cpu/drivers/normalize/softmax.hpp"

#include <algorithm>

#include "cpu/drivers/normalize/row_pieces.hpp"
#include "cpu/kernels/rounded.hpp"
#include "cpu/kernels/targets.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/float_format.hpp"
#include "runtime/float_environment.hpp"
#include "state/softmax_steps.hpp"

namespace onefold::cpu {
namespace {

// Elements whose numerators' sum fits 64 bits.
constexpr std::int64_t most_of_a_sum = std::int64_t(1) << 16;

template <class T>
void softmax_row(const T* x, std::int64_t n, bool logarithm, T* y) {
  using format = detail::float_format<T>;
  constexpr auto infinity = std::int64_t(format::infinity);
  const kernel_table& table = active_table();
  const softmax_kernels& kernels = table.ordered->softmax[int(dtype_of<T>) - int(dtype::f16)];
  const order_range range = table.operators->extrema.plain[int(dtype_of<T>)](x, n);
  // NaNs are beyond the infinities.
  const bool nan = range.least < ~infinity || range.largest > infinity;
  if (nan || range.largest == infinity || range.largest == ~infinity)
    return void(std::fill_n(y, n, detail::from_bits<T>(format::quiet_nan)));
  const std::int64_t place = range.largest;
  const float m =
      step(detail::extreme{place < 0 ? place + 1 : place, 0, place == 0}.template value<T>());
  std::uint64_t high = 0, low = 0;
  for (std::int64_t at = 0; at < n; at += most_of_a_sum) {
    const std::uint64_t sum = kernels.sum(x + at, std::min(most_of_a_sum, n - at), m);
    high += sum >> 32, low += std::uint32_t(sum);
  }
  const double total = softmax_steps::total_of(high, low);
  if (logarithm)
    kernels.logarithms(x, n, m, softmax_steps::logarithm_of(total), y);
  else
    kernels.quotients(x, n, m, softmax_steps::factor_of(total), y);
}

template <class T>
void softmax_piece(const softmax_rows& of, std::int64_t first, std::int64_t last) {
  const float_environment environment;
  for (std::int64_t row = first; row < last; ++row)
    softmax_row(static_cast<const T*>(of.x) + row * of.stride, of.n, of.logarithm,
                static_cast<T*>(of.y) + row * of.n);
}

}  // namespace

void softmax(const softmax_rows& of, int threads) {
  if (of.n == 0) return;
  const auto take = of.type == dtype::f16    ? softmax_piece<f16>
                    : of.type == dtype::bf16 ? softmax_piece<bf16>
                                             : softmax_piece<float>;
  by_row_pieces(of.rows, of.n * std::int64_t(size_bytes(of.type)), threads,
                [&](std::int64_t first, std::int64_t last) { take(of, first, last); });
}

}  // namespace onefold::cpu
