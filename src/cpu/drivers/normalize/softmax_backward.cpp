// SPDX-License-Identifier: Apache-2.0
// The backward passes of softmax and log_softmax: a row's sum by doubles and a bound of its error,
// or exactly; then dx, whose loops have no branches, so that compilers vectorise them.
#include "cpu/drivers/normalize/softmax_backward.hpp"

#include <memory>
#include <variant>

#include "cpu/drivers/normalize/row_pieces.hpp"
#include "cpu/drivers/normalize/row_sum.hpp"
#include "cpu/kernels/rounded.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/tasks.hpp"
#include "onefold/exact.hpp"
#include "state/exponential.hpp"
#include "state/states.hpp"

namespace onefold::cpu {
namespace {

// With a vector past the end.
constexpr std::size_t block_space = softmax_block + 16;

/// The rows of one thread, one after another.
template <class T, bool Logarithm>
class softmax_gradient_task {
 public:
  explicit softmax_gradient_task(const softmax_gradients& rows)
      : rows_(rows), n_(rows.n),
        kernels_(active_table().ordered->softmax[int(dtype::f32) - int(dtype::f16)]) {
    if constexpr (Logarithm) {
      elements_ = std::make_unique_for_overwrite<float[]>(block_space);
      exponentials_ = std::make_unique_for_overwrite<double[]>(block_space);
    }
  }

  /// False: cancelled.
  bool take(std::int64_t row, piece_source& pieces) {
    y_ = static_cast<const T*>(rows_.y) + row * rows_.stride;
    g_ = static_cast<const T*>(rows_.g) + row * rows_.g_stride;
    dx_ = static_cast<T*>(rows_.dx) + row * n_;
    float sum = 0;
    if (!find_sum(sum, pieces)) return false;
    return by_parts(n_, pieces,
                    [&](std::int64_t at, std::int64_t count) {
                      if constexpr (Logarithm)
                        write_logarithms(at, at + count, sum);
                      else
                        write(at, at + count, sum);
                    })
        .ok();
  }

 private:
  double term(std::int64_t i) const {
    const double g = step(g_[i]);
    return Logarithm ? g : g * double(step(y_[i]));
  }

  // The row's sum, rounded once. False: cancelled.
  bool find_sum(float& nearest, piece_source& pieces) const {
    row_sum terms;
    if (!by_parts(n_, pieces, [&](std::int64_t at, std::int64_t count) {
           terms.add(at, at + count, [&](std::int64_t i) { return term(i); });
         }).ok())
      return false;
    if (terms.certify(
            n_, [](double sum) { return float(sum); }, nearest))
      return true;
    constexpr accumulator sums = Logarithm ? accumulator::total : accumulator::products;
    const auto task = make_exact_task(sums, dtype_of<T>);
    const bool done = by_parts(n_, pieces, [&](std::int64_t at, std::int64_t count) {
                        task->take({g_ + at, Logarithm ? nullptr : y_ + at, count, at});
                      }).ok();
    any_state state = empty_state(sums, dtype_of<T>);
    task->drain(state);
    using exact = std::conditional_t<Logarithm, exact_sum<T>, exact_dot<T>>;
    nearest = std::get<exact>(state).template value<float>();
    return done;
  }

  void write(std::int64_t at, std::int64_t end, float c) const {
    for (std::int64_t i = at; i < end; ++i) dx_[i] = rounded<T>((step(g_[i]) - c) * step(y_[i]));
  }

  void write_logarithms(std::int64_t at, std::int64_t end, float sum) const {
    for (; at < end; at += softmax_block) {
      const std::int64_t count = std::min(softmax_block, end - at);
      const T *const y = y_ + at, *const g = g_ + at;
      T* const dx = dx_ + at;
      // What is cut off has exponentials that are 0 or +Inf as floats.
      constexpr int half = detail::band_width / 2;
      constexpr float most = half;
      for (std::int64_t i = 0; i < count; ++i) {
        float own = step(y[i]);
        own = own < -most ? -most : own;
        elements_[std::size_t(i)] = own > most ? most : own;
      }
      kernels_.add(elements_.get(), count, 0, false, exponentials_.get());
      for (std::int64_t i = 0; i < count; ++i)
        dx[i] = rounded<T>(step(g[i]) - float(exponentials_[std::size_t(i)]) * sum);
    }
  }

  const softmax_gradients& rows_;
  std::int64_t n_;
  const softmax_kernels& kernels_;
  const T *y_ = nullptr, *g_ = nullptr;
  T* dx_ = nullptr;
  std::unique_ptr<float[]> elements_;
  std::unique_ptr<double[]> exponentials_;
};

template <class T, bool Logarithm>
status gradients(const softmax_gradients& request, int threads, const std::stop_token& stop) {
  const auto start = [&] {
    return [task = softmax_gradient_task<T, Logarithm>(request)](
               std::int64_t row, piece_source& pieces) mutable { return task.take(row, pieces); };
  };
  const std::int64_t row_bytes = 2 * request.n * std::int64_t(sizeof(T));
  return by_rows(request.rows, row_bytes, threads, stop, start);
}

template <class T>
status gradients(const softmax_gradients& request, int threads, const std::stop_token& stop) {
  return request.logarithm ? gradients<T, true>(request, threads, stop)
                           : gradients<T, false>(request, threads, stop);
}

}  // namespace

status softmax_backward(const softmax_gradients& request, int threads,
                        const std::stop_token& stop) {
  if (request.n == 0) return {};
  const auto take = request.type == dtype::f16    ? gradients<f16>
                    : request.type == dtype::bf16 ? gradients<bf16>
                                                  : gradients<float>;
  return take(request, threads, stop);
}

}  // namespace onefold::cpu
