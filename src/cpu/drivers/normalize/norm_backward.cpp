// SPDX-License-Identifier: Apache-2.0
// The backward pass of RMSNorm and LayerNorm: a row's sums by doubles and a bound of their error,
// or exactly; dx; and the terms of the gradients of weight and bias to sums of columns, of each
// thread its own. The loops have no branches, so that compilers vectorise them.
#include "cpu/drivers/normalize/norm_backward.hpp"

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
#include "request/layer_norm_rows.hpp"
#include "state/states.hpp"

namespace onefold::cpu {
namespace {

/// The columns of all threads.
struct shared_columns {
  std::mutex mutex;
  column_sums weight, bias;
};

/// Elements of a row, and their weights. Centred: those of x less their mean.
template <class T, class W, bool Centred>
struct gradient_row {
  using real = step_type<T>;
  const T *x, *g;
  const W* weight;
  double mean;

  gradient_row(const norm_gradients& request, std::int64_t row)
      : x(static_cast<const T*>(request.x) + row * request.stride),
        g(static_cast<const T*>(request.g) + row * request.g_stride),
        weight(static_cast<const W*>(request.weight)), mean(Centred ? request.mean[row] : 0) {}
  real own(std::int64_t i) const {
    if constexpr (Centred)
      return centred(step(x[i]), mean);
    else
      return step(x[i]);
  }
  real weighted(std::int64_t i) const {
    if constexpr (std::is_void_v<W>)
      return step(g[i]);
    else
      return step(g[i]) * step(weight[i]);
  }
  real term(std::int64_t i, real r) const { return step(g[i]) * (own(i) * r); }
};

/// The rows of one thread, one after another. W: the type of the weights; void: none.
template <class T, class W, bool Centred>
class gradient_task {
 public:
  using real = step_type<T>;
  using row_type = gradient_row<T, W, Centred>;

  gradient_task(const norm_gradients& request, shared_columns& columns)
      : request_(request), columns_(columns), weight_(request.dweight != nullptr ? request.n : 0),
        bias_(request.dbias != nullptr ? request.n : 0) {}
  gradient_task(const gradient_task&) = delete;
  gradient_task& operator=(const gradient_task&) = delete;
  ~gradient_task() {
    if (request_.dweight == nullptr && request_.dbias == nullptr) return;
    const std::lock_guard lock(columns_.mutex);
    columns_.weight.merge(weight_), columns_.bias.merge(bias_);
  }

  /// False: cancelled.
  bool take(std::int64_t number, piece_source& pieces) {
    const row_type row(request_, number);
    const double r = request_.inverse[number], n = double(request_.n), q = r * r * r / n;
    if (!add_columns(row, real(r), pieces)) return false;
    if (request_.dx == nullptr) return true;
    real c = 0, shift = 0;
    const auto own = [&](std::int64_t i) { return row.own(i); };
    if (!find_sum(
            row, own, [q](double sum) { return real(sum * q); }, c, pieces))
      return false;
    const auto one = [](std::int64_t) { return real(1); };
    if (Centred && !find_sum(
                       row, one, [n](double sum) { return real(sum / n); }, shift, pieces))
      return false;
    T* const dx = static_cast<T*>(request_.dx) + number * request_.n;
    return each_part(pieces, [&](std::int64_t at, std::int64_t end) {
      for (std::int64_t i = at; i < end; ++i) {
        real a = row.weighted(i);
        if constexpr (Centred) a -= shift;
        const real scaled = a * real(r), other = row.own(i) * c;
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

  bool add_columns(const row_type& row, real r, piece_source& pieces) {
    const auto add = [&](column_sums& sums, const auto& term) {
      sums.note_row();
      return each_part(pieces, [&](std::int64_t at, std::int64_t end) {
        sums.add(at, end - at, [&](std::int64_t j) { return term(at + j); });
      });
    };
    return (request_.dweight == nullptr ||
            add(weight_, [&](std::int64_t i) { return row.term(i, r); })) &&
           (request_.dbias == nullptr ||
            add(bias_, [&](std::int64_t i) { return step(row.g[i]); }));
  }

  // c = round(RN(S)), S the sum of the weighted gradients times other(i), for a monotonic `round`.
  // False: cancelled.
  template <class Other, class Round>
  bool find_sum(const row_type& row, const Other& other, const Round& round, real& c,
                piece_source& pieces) {
    if constexpr (sizeof(T) < 8) {
      row_sum products;
      if (!each_part(pieces, [&](std::int64_t at, std::int64_t end) {
            products.add(at, end, [&](std::int64_t i) {
              return double(row.weighted(i)) * double(other(i));
            });
          }))
        return false;
      if (products.certify(request_.n, round, c)) return true;
    }
    const auto products = make_exact_task(accumulator::products, dtype_of<real>);
    constexpr std::int64_t block = 1024;
    std::vector<real> a(block), x(block);
    const bool done = each_part(pieces, [&](std::int64_t at, std::int64_t end) {
      for (; at < end; at += block) {
        const std::int64_t n = std::min(block, end - at);
        for (std::int64_t i = 0; i < n; ++i)
          a[std::size_t(i)] = row.weighted(at + i), x[std::size_t(i)] = other(at + i);
        products->take({a.data(), x.data(), n, at});
      }
    });
    any_state state = empty_state(accumulator::products, dtype_of<real>);
    products->drain(state);
    c = round(std::get<exact_dot<real>>(state).template value<double>());
    return done;
  }

  const norm_gradients& request_;
  shared_columns& columns_;
  column_sums weight_, bias_;
};

// Columns that are ambiguous, exactly. term(row, column); W: the type of the sums.
template <class W, class Term>
status add_exactly(const norm_gradients& request, const Term& term, W* to,
                   const std::vector<std::int64_t>& columns, int threads,
                   const std::stop_token& stop) {
  const auto start = [&] {
    return [&](std::int64_t k, piece_source&) {
      const std::int64_t column = columns[std::size_t(k)];
      exact_sum<decltype(term(0, 0))> sum;
      for (std::int64_t row = 0; row < request.rows; ++row) sum.add(term(row, column));
      to[column] = sum.template value<W>();
      return true;
    };
  };
  return by_rows(std::int64_t(columns.size()), request.rows * 64, threads, stop, start);
}

template <class W, class Term>
status write_columns(const norm_gradients& request, const column_sums& sums, const Term& term,
                     W* to, int threads, const std::stop_token& stop) {
  std::vector<std::int64_t> ambiguous;
  for (std::int64_t j = 0; to != nullptr && j < request.n; ++j)
    if (request.rows == 0)
      to[j] = narrowed<W>(0);
    else if (!sums.round(j, to[j]))
      ambiguous.push_back(j);
  return add_exactly(request, term, to, ambiguous, threads, stop);
}

// W: the type of the weights; void: none. Sum: that of the sums of columns.
template <class T, class W, class Sum, bool Centred>
status gradients(const norm_gradients& request, int threads, const std::stop_token& stop) {
  const auto columns_of = [&](const void* to) {
    return column_sums(to != nullptr ? request.n : 0);
  };
  shared_columns columns{{}, columns_of(request.dweight), columns_of(request.dbias)};
  const auto start = [&] {
    return [task = std::make_shared<gradient_task<T, W, Centred>>(request, columns)](
               std::int64_t row, piece_source& pieces) { return task->take(row, pieces); };
  };
  const std::int64_t row_bytes = 2 * request.n * std::int64_t(sizeof(T));
  if (auto done = by_rows(request.rows, row_bytes, threads, stop, start); !done) return done;
  using row_type = gradient_row<T, W, Centred>;
  const auto term = [&](std::int64_t row, std::int64_t column) {
    return row_type(request, row).term(column, step_type<T>(request.inverse[row]));
  };
  auto* const dweight = static_cast<Sum*>(request.dweight);
  if (auto done = write_columns(request, columns.weight, term, dweight, threads, stop); !done)
    return done;
  const auto g = [&](std::int64_t row, std::int64_t column) {
    return step(row_type(request, row).g[column]);
  };
  return write_columns(request, columns.bias, g, static_cast<Sum*>(request.dbias), threads, stop);
}

template <class T, class Sum, bool Centred>
status gradients(const norm_gradients& request, int threads, const std::stop_token& stop) {
  if (request.weight == nullptr) return gradients<T, void, Sum, Centred>(request, threads, stop);
  return gradients<T, Sum, Sum, Centred>(request, threads, stop);
}

template <class T, class Sum>
status gradients(const norm_gradients& request, int threads, const std::stop_token& stop) {
  return request.centred ? gradients<T, Sum, true>(request, threads, stop)
                         : gradients<T, Sum, false>(request, threads, stop);
}

template <class T>
status gradients(const norm_gradients& request, int threads, const std::stop_token& stop) {
  if constexpr (sizeof(T) == 2)
    if (request.float_weight) return gradients<T, float>(request, threads, stop);
  return gradients<T, T>(request, threads, stop);
}

}  // namespace

status norm_backward(const norm_gradients& request, int threads, const std::stop_token& stop) {
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
