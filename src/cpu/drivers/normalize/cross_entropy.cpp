// SPDX-License-Identifier: Apache-2.0
#include "cpu/drivers/normalize/cross_entropy.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "cpu/drivers/normalize/softmax_row.hpp"

namespace onefold::cpu {
namespace {

template <class T>
const T* elements_of(const class_rows& rows, std::int64_t row) {
  return static_cast<const T*>(rows.x) + row * rows.stride;
}

/// The losses of one thread, one after another.
template <class T>
class loss_task {
 public:
  explicit loss_task(const class_losses& rows) : rows_(rows), row_(rows.n) {}

  /// False: cancelled.
  bool take(std::int64_t row, piece_source& pieces) {
    const std::int64_t target = rows_.targets[row];
    if (!rows_.has_class(target)) return write(row, {{0, 0}, 0}, 0), true;
    const T* const x = elements_of<T>(rows_, row);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (!row_.begin(x, pieces, nullptr, false))
      write(row, {row_.total(), nan}, float(nan));
    else if (!row_.cancelled())
      write_loss(row, step(x[target]), target);
    return !row_.cancelled();
  }

 private:
  void write_loss(std::int64_t row, float x, std::int64_t target) {
    const detail::softmax_total total = row_.total();
    const auto logarithm = detail::split_of<T>(detail::logarithm_of(total));
    const double quotient = detail::quotient_of(x, total.band, detail::factors_of(total));
    detail::class_loss made = detail::class_loss_of(x, quotient, logarithm);
    if (detail::near_zero(detail::less_logarithm(x, logarithm))) {
      const double own = detail::exponential(detail::banded_of(x).rest);
      made = detail::class_loss_near_zero(own, row_.sum_without(target, own), total);
    }
    if (!row_.cancelled()) write(row, {total, made.slope}, made.loss);
  }

  void write(std::int64_t row, const detail::class_total& total, float loss) {
    rows_.losses[row] = loss;
    if (rows_.totals == nullptr) return;
    double* const to = rows_.totals + 3 * row;
    to[0] = total.row.band, to[1] = total.row.sum, to[2] = total.slope;
  }

  const class_losses& rows_;
  softmax_row<T> row_;
};

/// The gradients of one thread, one after another.
template <class T>
class class_gradient_task {
 public:
  explicit class_gradient_task(const class_gradients& rows)
      : rows_(rows), kernels_(softmax_kernels_of<T>()),
        e_(std::make_unique_for_overwrite<double[]>(softmax_block + 16)) {}

  /// False: cancelled.
  bool take(std::int64_t row, piece_source& pieces) {
    x_ = elements_of<T>(rows_, row);
    y_ = static_cast<T*>(rows_.dx) + row * rows_.n;
    const std::int64_t target = rows_.targets[row];
    const double* const total = rows_.totals + 3 * row;
    const float scale = rows_.scales[row];
    band_ = total[0], shift_ = rows_.shift(scale);
    factors_ = detail::scaled_factors_of({band_, total[1]}, scale);
    const bool counts = rows_.has_class(target), numbers = factors_.top - factors_.top == 0;
    const status done = by_parts(rows_.n, pieces, [&](std::int64_t at, std::int64_t part) {
      if (counts && numbers)
        write_part(at, at + part);
      else
        std::fill_n(y_ + at, part,
                    rounded<T>(counts ? std::numeric_limits<float>::quiet_NaN() : 0));
    });
    if (counts && numbers) y_[target] = rounded<T>(rows_.of_target(total[2], scale));
    return done.ok();
  }

 private:
  void write_part(std::int64_t at, std::int64_t end) {
    for (; at < end; at += softmax_block) {
      const std::int64_t count = std::min(softmax_block, end - at);
      const auto origin = float(band_ * detail::band_width);
      double* const e = e_.get();
      if (kernels_.add(x_ + at, count, origin, true, e).fine)
        kernels_.quotients(e, count, factors_.top, shift_, y_ + at);
      else
        for (std::int64_t i = at; i < at + count; ++i)
          y_[i] = rounded<T>(float(detail::quotient_of(step(x_[i]), band_, factors_)) - shift_);
    }
  }

  const class_gradients& rows_;
  const softmax_kernels& kernels_;
  std::unique_ptr<double[]> e_;
  const T* x_ = nullptr;
  T* y_ = nullptr;
  double band_ = 0;
  float shift_ = 0;
  detail::softmax_factors factors_{};
};

template <class Task, class Rows>
status run(const Rows& request, int threads, const std::stop_token& stop) {
  const auto start = [&] {
    return [task = Task(request)](std::int64_t row, piece_source& pieces) mutable {
      return task.take(row, pieces);
    };
  };
  return by_rows(request.rows, request.n * std::int64_t(size_bytes(request.type)), threads, stop,
                 start);
}

}  // namespace

status cross_entropy(const class_losses& request, int threads, const std::stop_token& stop) {
  const auto run_all = request.type == dtype::f16    ? run<loss_task<f16>, class_losses>
                       : request.type == dtype::bf16 ? run<loss_task<bf16>, class_losses>
                                                     : run<loss_task<float>, class_losses>;
  return run_all(request, threads, stop);
}

status cross_entropy_backward(const class_gradients& request, int threads,
                              const std::stop_token& stop) {
  const auto run_all = request.type == dtype::f16 ? run<class_gradient_task<f16>, class_gradients>
                       : request.type == dtype::bf16
                           ? run<class_gradient_task<bf16>, class_gradients>
                           : run<class_gradient_task<float>, class_gradients>;
  return run_all(request, threads, stop);
}

}  // namespace onefold::cpu
