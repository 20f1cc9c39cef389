// SPDX-License-Identifier: Apache-2.0
#include "cpu/drivers/normalize/softmax.hpp"

#include <algorithm>

#include "cpu/drivers/normalize/softmax_row.hpp"

namespace onefold::cpu {
namespace {

/// The rows of one thread, one after another.
template <class T>
class softmax_task {
 public:
  explicit softmax_task(const softmax_rows& rows)
      : rows_(rows), row_(rows.n), kernels_(softmax_kernels_of<T>()) {}

  /// False: cancelled.
  bool take(std::int64_t row, piece_source& pieces) {
    x_ = static_cast<const T*>(rows_.x) + row * rows_.stride;
    y_ = static_cast<T*>(rows_.y) + row * rows_.n;
    const state* const whole = rows_.whole != nullptr ? &rows_.whole[row] : nullptr;
    if (!row_.begin(x_, pieces, whole, !rows_.logarithm))
      write_nans();
    else if (!row_.cancelled())
      rows_.logarithm ? write_logarithms() : write_quotients();
    return !row_.cancelled();
  }

 private:
  void write_nans() {
    row_.by_blocks([&](std::int64_t at, std::int64_t count) {
      std::fill_n(y_ + at, count, detail::from_bits<T>(detail::float_format<T>::quiet_nan));
      return true;
    });
  }

  void write_quotients() {
    const detail::softmax_total& total = row_.total();
    const auto factors = detail::factors_of(total);
    row_.by_blocks([&](std::int64_t at, std::int64_t count) {
      if (row_.one_band()) {
        kernels_.quotients(row_.exponentials_of(at, count), count, factors.top, 0, y_ + at);
      } else {
        for (std::int64_t i = at; i < at + count; ++i)
          y_[i] = rounded<T>(float(detail::quotient_of(step(x_[i]), total.band, factors)));
      }
      return true;
    });
  }

  void write_logarithms() {
    const auto logarithm = detail::logarithm_of(row_.total());
    std::int64_t near = rows_.n;
    row_.by_blocks([&](std::int64_t at, std::int64_t count) {
      const std::int64_t found = kernels_.logarithms(x_ + at, count, logarithm, y_ + at);
      if (found < count) near = at + found;
      return true;
    });
    if (near == rows_.n || row_.cancelled()) return;
    const auto [band, rest] = detail::banded_of(step(x_[near]));
    if (band != row_.total().band) return;  // an element that the whole row does not have
    const double own = detail::exponential(rest), others = row_.sum_without(near, own);
    y_[near] = rounded<T>(float(detail::logarithm_near_zero(own, others)));
  }

  const softmax_rows& rows_;
  softmax_row<T> row_;
  const softmax_kernels& kernels_;
  const T* x_ = nullptr;
  T* y_ = nullptr;
};

template <class T>
status softmax_of(const softmax_rows& request, int threads, const std::stop_token& stop) {
  const auto start = [&] {
    return [task = softmax_task<T>(request)](std::int64_t row, piece_source& pieces) mutable {
      return task.take(row, pieces);
    };
  };
  return by_rows(request.rows, request.n * std::int64_t(size_bytes(request.type)), threads, stop,
                 start);
}

}  // namespace

status softmax(const softmax_rows& request, int threads, const std::stop_token& stop) {
  if (request.n == 0) return {};
  const auto take = request.type == dtype::f16    ? softmax_of<f16>
                    : request.type == dtype::bf16 ? softmax_of<bf16>
                                                  : softmax_of<float>;
  return take(request, threads, stop);
}

}  // namespace onefold::cpu
