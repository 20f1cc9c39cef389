// SPDX-License-Identifier: Apache-2.0
#include "ladder/trial/dot.hpp"

#include "ladder/dot/compensated.cuh"
#include "ladder/dot/exact_value.hpp"
#include "ladder/rung/value_text.hpp"
#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/inputs.hpp"
#include "ladder/trial/problem.hpp"

#include <type_traits>

namespace onefold::ladder {
namespace {

template <class T>
T fold_compensated(const std::vector<T>& sums_and_losses) {
  const std::size_t grid = sums_and_losses.size() / 2;
  compensated<T> total;
  for (std::size_t i = 0; i < grid; ++i) {
    total.add(sums_and_losses[i], sums_and_losses[grid + i]);
  }
  return total.value();
}

template <class T>
T fold_exact(const std::vector<exact_partial<T>>& partials) {
  exact_total<T> total;
  for (const exact_partial<T>& partial : partials) total.add(partial);
  return total.value();
}

/// The vectors of a trial: those of a sum, and signs whose period shares no divisor with a block's
/// size. So every product has the magnitude of the sum's element, and inputs.hpp says up to which
/// length every order is exact.
template <class T>
std::vector<T> signs(std::size_t n) {
  std::vector<T> values(n, T(1));
  for (std::size_t i = 0; i < n; i += 3) values[i] = T(-1);
  return values;
}

template <class T>
T exact_answer(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> products(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) products[i] = b[i] < 0 ? -a[i] : a[i];
  return fold(operation::sum, products);
}

template <class T>
class dot_problem : public problem {
 public:
  dot_problem(const rung& r, const trial_options& options, backend& where)
      : a_(reduce_input<T>(operation::sum, options.n)), b_(signs<T>(options.n)),
        product_(r, options, where, a_, b_) {}

  void run() override { product_.run(); }

  answer check() override {
    const T got = product_.value(), expected = exact_answer(a_, b_);
    return {got == expected, value_text(got), value_text(expected)};
  }

  watched_input watched() const override { return {product_.a(), a_.size(), sizeof(T)}; }
  std::size_t least_bytes() const override { return 2 * a_.size() * sizeof(T); }
  unsigned grid() const override { return product_.grid(); }

 private:
  std::vector<T> a_, b_;
  dot_product<T> product_;
};

}  // namespace

template <class T>
dot_product<T>::dot_product(const rung& r, const trial_options& options, backend& where,
                            std::span<const T> a, std::span<const T> b)
    : rung_(r), where_(where), kernel_(kernel_for(r, options, where)), n_(a.size()),
      grid_(blocks_for(r, options, n_)), block_(options.block) {
  const auto vector = [&](std::span<const T> values, const char* name) {
    void* at = where_.allocate(values.size_bytes(), name);
    where_.upload(at, values.data(), values.size_bytes());
    return static_cast<T*>(at);
  };
  a_ = vector(a, "a");
  b_ = vector(b, "b");
  partials_ = where_.allocate(bytes_of_partials(), "partials");
}

template <class T>
std::size_t dot_product<T>::bytes_of_partials() const {
  switch (rung_.partial) {
  case partial_form::compensated:
    return grid_ * 2 * sizeof(T);
  case partial_form::exact:
    if constexpr (std::is_floating_point_v<T>) return grid_ * sizeof(exact_partial<T>);
    [[fallthrough]];
  case partial_form::value:
    break;
  }
  return grid_ * sizeof(T);
}

template <class T>
void dot_product<T>::run() {
  kernel_arguments arguments{.in = a_, .other = b_, .out = partials_};
  arguments.n = n_;
  arguments.grid = grid_;
  arguments.block = block_;
  kernel_.start(where_, arguments);
}

template <class T>
template <class Partial>
std::vector<Partial> dot_product<T>::partials(std::size_t count) const {
  std::vector<Partial> all(count);
  where_.download(all.data(), partials_, count * sizeof(Partial));
  return all;
}

template <class T>
T dot_product<T>::value() const {
  if constexpr (std::is_floating_point_v<T>) {
    if (rung_.partial == partial_form::compensated) return fold_compensated(partials<T>(2 * grid_));
    if (rung_.partial == partial_form::exact) return fold_exact(partials<exact_partial<T>>(grid_));
  }
  return fold(operation::sum, partials<T>(grid_));
}

template <class T>
T dot_by(const rung& r, const trial_options& options, std::span<const T> a, std::span<const T> b) {
  executor_backend where(options);
  dot_product<T> product(r, options, where, a, b);
  product.run();
  return product.value();
}

template class dot_product<int>;
template class dot_product<float>;
template class dot_product<double>;
template int dot_by(const rung&, const trial_options&, std::span<const int>, std::span<const int>);
template float dot_by(const rung&, const trial_options&, std::span<const float>,
                      std::span<const float>);
template double dot_by(const rung&, const trial_options&, std::span<const double>,
                       std::span<const double>);

std::unique_ptr<problem> make_dot(const rung& r, const trial_options& options, backend& where) {
  switch (options.type) {
  case element::float32:
    return std::make_unique<dot_problem<float>>(r, options, where);
  case element::float64:
    return std::make_unique<dot_problem<double>>(r, options, where);
  default:
    kernel_for(r, options, where);  // refuses what is no int
    return std::make_unique<dot_problem<int>>(r, options, where);
  }
}

}  // namespace onefold::ladder
