// SPDX-License-Identifier: Apache-2.0
#include "cpu/drivers/normalize/softmax.hpp"

#include <algorithm>

#include "cpu/drivers/normalize/row_pieces.hpp"
#include "cpu/kernels/rounded.hpp"
#include "cpu/kernels/targets.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/float_format.hpp"
#include "state/softmax_steps.hpp"

namespace onefold::cpu {
namespace {

template <class T>
status softmax_row(const T* x, std::int64_t n, bool logarithm, T* y, piece_source& pieces) {
  using format = detail::float_format<T>;
  constexpr auto infinity = std::int64_t(format::infinity);
  const kernel_table& table = active_table();
  const softmax_kernels& kernels = table.ordered->softmax[int(dtype_of<T>) - int(dtype::f16)];
  order_range range = {infinity, ~infinity};
  auto on = by_parts(n, pieces, [&](std::int64_t at, std::int64_t part) {
    const order_range more = table.operators->extrema.plain[int(dtype_of<T>)](x + at, part);
    range = {std::min(range.least, more.least), std::max(range.largest, more.largest)};
  });
  if (!on) return on;
  // NaNs are beyond the infinities.
  const bool nan = range.least < ~infinity || range.largest > infinity;
  if (nan || range.largest == infinity || range.largest == ~infinity)
    return by_parts(n, pieces, [&](std::int64_t at, std::int64_t part) {
      std::fill_n(y + at, part, detail::from_bits<T>(format::quiet_nan));
    });
  const std::int64_t place = range.largest;
  const float m =
      step(detail::extreme{place < 0 ? place + 1 : place, 0, place == 0}.template value<T>());
  // The numerators' sum of a part fits 64 bits.
  std::uint64_t high = 0, low = 0;
  on = by_parts(n, pieces, [&](std::int64_t at, std::int64_t part) {
    const std::uint64_t sum = kernels.sum(x + at, part, m);
    high += sum >> 32, low += std::uint32_t(sum);
  });
  if (!on) return on;
  const double total = softmax_steps::total_of(high, low);
  const auto write = logarithm ? kernels.logarithms : kernels.quotients;
  const float of_row =
      logarithm ? softmax_steps::logarithm_of(total) : softmax_steps::factor_of(total);
  return by_parts(n, pieces, [&](std::int64_t at, std::int64_t part) {
    write(x + at, part, m, of_row, y + at);
  });
}

template <class T>
bool take_row(const softmax_rows& of, std::int64_t row, piece_source& pieces) {
  return softmax_row(static_cast<const T*>(of.x) + row * of.stride, of.n, of.logarithm,
                     static_cast<T*>(of.y) + row * of.n, pieces)
      .ok();
}

}  // namespace

status softmax(const softmax_rows& of, int threads, const std::stop_token& stop) {
  if (of.n == 0) return {};
  const auto take = of.type == dtype::f16    ? take_row<f16>
                    : of.type == dtype::bf16 ? take_row<bf16>
                                             : take_row<float>;
  return by_rows(of.rows, of.n * std::int64_t(size_bytes(of.type)), threads, stop,
                 [&](std::int64_t row, piece_source& pieces) { return take(of, row, pieces); });
}

}  // namespace onefold::cpu
