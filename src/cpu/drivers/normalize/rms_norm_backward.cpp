// SPDX-License-Identifier: Apache-2.0
// The backward pass of RMSNorm: a row's dot product by a sum of doubles and a bound of its error,
// or exactly; dx; and the terms of the weight's gradient to sums of columns, of each thread its
// own. The loops have no branches, so that compilers vectorise them.
#include "cpu/drivers/normalize/rms_norm_backward.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "cpu/drivers/normalize/column_sums.hpp"
#include "cpu/drivers/normalize/row_pieces.hpp"
#include "cpu/drivers/normalize/row_sum.hpp"
#include "cpu/tasks/tasks.hpp"
#include "onefold/exact.hpp"
#include "state/states.hpp"

namespace onefold::cpu {
namespace {

/// The columns of all threads.
struct shared_columns {
  std::mutex mutex;
  column_sums sums;
};

/// Elements of a row, and their weights.
template <class T, class W>
struct gradient_row {
  using real = step_type<T>;
  const T *x, *g;
  const W* weight;

  gradient_row(const rms_norm_gradients& request, std::int64_t row)
      : x(static_cast<const T*>(request.x) + row * request.stride),
        g(static_cast<const T*>(request.g) + row * request.g_stride),
        weight(static_cast<const W*>(request.weight)) {}
  real weighted(std::int64_t i) const {
    if constexpr (std::is_void_v<W>)
      return step(g[i]);
    else
      return step(g[i]) * step(weight[i]);
  }
  real term(std::int64_t i, real r) const { return step(g[i]) * (step(x[i]) * r); }
};

/// The rows of one thread, one after another. W: the type of the weights; void: none.
template <class T, class W>
class gradient_task {
 public:
  using real = step_type<T>;

  gradient_task(const rms_norm_gradients& request, shared_columns& columns)
      : request_(request), columns_(columns), own_(request.dweight != nullptr ? request.n : 0) {}
  gradient_task(const gradient_task&) = delete;
  gradient_task& operator=(const gradient_task&) = delete;
  ~gradient_task() {
    if (request_.dweight == nullptr) return;
    const std::lock_guard lock(columns_.mutex);
    columns_.sums.merge(own_);
  }

  /// False: cancelled.
  bool take(std::int64_t number, piece_source& pieces) {
    const gradient_row<T, W> row(request_, number);
    const double r = request_.inverse[number];
    if (request_.dweight != nullptr && !add_columns(row, real(r), pieces)) return false;
    if (request_.dx == nullptr) return true;
    real c = 0;
    if (!find_scale(row, r * r * r / double(request_.n), c, pieces)) return false;
    T* const dx = static_cast<T*>(request_.dx) + number * request_.n;
    return each_part(pieces, [&](std::int64_t at, std::int64_t end) {
      for (std::int64_t i = at; i < end; ++i) {
        const real scaled = row.weighted(i) * real(r), other = step(row.x[i]) * c;
        dx[i] = rounded<T>(scaled - other);
      }
    });
  }

 private:
  template <class Take>
  bool each_part(piece_source& pieces, const Take& take) const {
    return by_parts(request_.n, pieces, [&](std::int64_t at, std::int64_t n) { take(at, at + n); })
        .ok();
  }

  bool add_columns(const gradient_row<T, W>& row, real r, piece_source& pieces) {
    own_.note_row();
    return each_part(pieces, [&](std::int64_t at, std::int64_t end) {
      own_.add(at, end - at, [&](std::int64_t j) { return row.term(at + j, r); });
    });
  }

  // c = RN(RN(D) q), D the sum of the products. False: cancelled.
  bool find_scale(const gradient_row<T, W>& row, double q, real& c, piece_source& pieces) {
    if constexpr (sizeof(T) < 8) {
      row_sum products;
      if (!each_part(pieces, [&](std::int64_t at, std::int64_t end) {
            products.add(at, end, [&](std::int64_t i) {
              return double(row.weighted(i)) * double(step(row.x[i]));
            });
          }))
        return false;
      if (products.certify(
              request_.n, [q](double sum) { return real(sum * q); }, c))
        return true;
    }
    const auto products = make_exact_task(accumulator::products, dtype_of<real>);
    constexpr std::int64_t block = 1024;
    std::vector<real> a(block), x(block);
    const bool done = each_part(pieces, [&](std::int64_t at, std::int64_t end) {
      for (; at < end; at += block) {
        const std::int64_t n = std::min(block, end - at);
        for (std::int64_t i = 0; i < n; ++i)
          a[std::size_t(i)] = row.weighted(at + i), x[std::size_t(i)] = step(row.x[at + i]);
        products->take({a.data(), x.data(), n, at});
      }
    });
    any_state state = empty_state(accumulator::products, dtype_of<real>);
    products->drain(state);
    c = real(std::get<exact_dot<real>>(state).template value<double>() * q);
    return done;
  }

  const rms_norm_gradients& request_;
  shared_columns& columns_;
  column_sums own_;
};

// Columns that are ambiguous, exactly.
template <class T, class W>
status add_exactly(const rms_norm_gradients& request, const std::vector<std::int64_t>& columns,
                   int threads, const std::stop_token& stop) {
  using real = step_type<T>;
  const auto start = [&] {
    return [&](std::int64_t k, piece_source&) {
      const std::int64_t column = columns[std::size_t(k)];
      exact_sum<real> sum;
      for (std::int64_t row = 0; row < request.rows; ++row)
        sum.add(gradient_row<T, W>(request, row).term(column, real(request.inverse[row])));
      static_cast<W*>(request.dweight)[column] = sum.template value<W>();
      return true;
    };
  };
  return by_rows(std::int64_t(columns.size()), request.rows * 64, threads, stop, start);
}

template <class T, class W>
status write_columns(const rms_norm_gradients& request, const column_sums& sums, int threads,
                     const std::stop_token& stop) {
  std::vector<std::int64_t> ambiguous;
  W* const dweight = static_cast<W*>(request.dweight);
  for (std::int64_t j = 0; j < request.n; ++j)
    if (request.rows == 0)
      dweight[j] = narrowed<W>(0);
    else if (!sums.round(j, dweight[j]))
      ambiguous.push_back(j);
  return add_exactly<T, W>(request, ambiguous, threads, stop);
}

template <class T, class W>
status gradients(const rms_norm_gradients& request, int threads, const std::stop_token& stop) {
  shared_columns columns{{}, column_sums(request.dweight != nullptr ? request.n : 0)};
  const auto start = [&] {
    return [task = std::make_shared<gradient_task<T, W>>(request, columns)](
               std::int64_t row, piece_source& pieces) { return task->take(row, pieces); };
  };
  const std::int64_t row_bytes = 2 * request.n * std::int64_t(sizeof(T));
  if (auto done = by_rows(request.rows, row_bytes, threads, stop, start); !done) return done;
  if constexpr (!std::is_void_v<W>)
    if (request.dweight != nullptr)
      return write_columns<T, W>(request, columns.sums, threads, stop);
  return {};
}

template <class T>
status gradients(const rms_norm_gradients& request, int threads, const std::stop_token& stop) {
  if (request.weight == nullptr) return gradients<T, void>(request, threads, stop);
  if constexpr (sizeof(T) == 2)
    if (request.float_weight) return gradients<T, float>(request, threads, stop);
  return gradients<T, T>(request, threads, stop);
}

}  // namespace

status rms_norm_backward(const rms_norm_gradients& request, int threads,
                         const std::stop_token& stop) {
  switch (request.type) {
  case dtype::f16:
    return gradients<f16>(request, threads, stop);
  case dtype::bf16:
    return gradients<bf16>(request, threads, stop);
  case dtype::f32:
    return gradients<float>(request, threads, stop);
  default:
    return gradients<double>(request, threads, stop);
  }
}

}  // namespace onefold::cpu
