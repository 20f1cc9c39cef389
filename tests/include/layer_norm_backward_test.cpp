// SPDX-License-Identifier: Apache-2.0
// layer_norm_backward on the CPU gives the bits of its definition for every family, shape, weight
// and bias, also where a sum cancels, and refuses what does not fit.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "onefold/normalize.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/layer_norm_model.hpp"

namespace onefold::test {
namespace {

struct shape {
  std::int64_t rows, n, gap = 0;
  double eps = 1e-6;
  int threads = 1;
};

/// Rows and what the definition makes of them. W: the type of the weights and of dbias.
template <class T, class W>
class gradient_case {
 public:
  gradient_case(const shape& shape, std::vector<T> x, std::vector<T> g, std::vector<W> weight)
      : shape_(shape), x_(std::move(x)), g_(std::move(g)), weight_(std::move(weight)) {}

  void expect_definition() {
    find_definition();
    layer_norm_backward_options options;
    options.eps = shape_.eps;
    options.bias_type = dtype_of<W>;
    expect(options, true, true, true);
    options.mean = mean_.data(), options.inverse = inverse_.data(), options.eps = 7;
    expect(options, true, false, false), expect(options, false, true, false);
    expect(options, false, false, true);
  }

 private:
  std::int64_t stride() const { return shape_.n + shape_.gap; }
  array_view view(const std::vector<T>& elements) const {
    constexpr auto item = std::int64_t(sizeof(T));
    return {elements.data(), dtype_of<T>, {{shape_.rows, stride() * item}, {shape_.n, item}}};
  }

  void find_definition() {
    const auto [rows, n, gap, eps, threads] = shape_;
    dx_.assign(std::size_t(rows * n) + 1, make<T>(true, 2, 5));
    dweight_.assign(std::size_t(n) + 1, make<W>(true, 2, 5)), dbias_ = dweight_;
    std::vector<layer_norm_columns<T>> columns(static_cast<std::size_t>(n));
    for (std::int64_t row = 0; row < rows; ++row) {
      const T *const x = x_.data() + row * stride(), *const g = g_.data() + row * stride();
      mean_.push_back(mean_of_row(x, n));
      inverse_.push_back(inverse_of_row(centred_row(x, n, mean_.back()).data(), n, eps));
      layer_norm_gradient(x, g, n, weight_.empty() ? nullptr : weight_.data(), mean_.back(),
                          inverse_.back(), dx_.data() + row * n);
      for (std::int64_t j = 0; j < n; ++j)
        columns[std::size_t(j)].add(x[j], g[j], mean_.back(), inverse_.back());
    }
    for (std::size_t j = 0; j < columns.size(); ++j) {
      dweight_[j] = columns[j].template weight<W>();
      dbias_[j] = columns[j].template bias<W>();
    }
  }

  void expect(layer_norm_backward_options options, bool dx, bool dweight, bool dbias) const {
    std::vector<T> to_x(dx_.size(), dx_.back());
    std::vector<W> to_weight(dweight_.size(), dweight_.back()), to_bias = to_weight;
    const bool weighted = !weight_.empty();
    if (weighted)
      options.weight =
          array_view(weight_.data(), dtype_of<W>, {{shape_.n, std::int64_t(sizeof(W))}});
    if (dweight && weighted) options.dweight = to_weight.data();
    if (dbias) options.dbias = to_bias.data();
    const status done = layer_norm_backward(executor::cpu{shape_.threads}, view(x_), view(g_),
                                            dx ? to_x.data() : nullptr, options);
    ASSERT_TRUE(done.ok()) << done.message();
    const std::string text = std::to_string(shape_.rows) + " rows of " + std::to_string(shape_.n) +
                             " " + std::string(name(dtype_of<T>)) +
                             ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
    const auto same = [](const auto& a, const auto& b) {
      return std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
    };
    EXPECT_TRUE(!dx || same(to_x, dx_)) << text;
    EXPECT_TRUE(!dweight || !weighted || same(to_weight, dweight_)) << text;
    EXPECT_TRUE(!dbias || same(to_bias, dbias_)) << text;
  }

  shape shape_;
  std::vector<T> x_, g_, dx_;
  std::vector<W> weight_, dweight_, dbias_;
  std::vector<double> mean_, inverse_;
};

template <class T>
std::vector<T> usual(random_source& random, std::int64_t n) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) {
    x.push_back(any_of_exponent<T>(random, int(random.below(6))));
    if (random.one_in(2)) x.back() = negated(x.back());
  }
  return x;
}

/// With weights of a kind that T has, or none.
template <class T>
void expect_definition(random_source& random, const shape& shape, const std::vector<T>& x,
                       const std::vector<T>& g) {
  const auto run = [&]<class W>(W) {
    auto weight = random.one_in(3) ? std::vector<W>() : usual<W>(random, shape.n);
    gradient_case<T, W>(shape, x, g, std::move(weight)).expect_definition();
  };
  if (sizeof(T) == 2 && random.one_in(2))
    run(float());
  else
    run(T());
}

template <class T>
class layer_norm_backward_of : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(layer_norm_backward_of, element_types);

TYPED_TEST(layer_norm_backward_of, rows_of_every_family_and_shape) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 2, 7, 64, 333, 3000}) {
      random_source random = source_of(1930, index++);
      SCOPED_TRACE(family.name);
      const double eps[] = {0, 1e-6, 1e30};
      const shape shape = {n < 1000 ? random.between(1, 9) : 2, n, std::int64_t(random.below(3)),
                           eps[index % 3], 1 + int(random.below(3))};
      std::vector<T> x(std::size_t(shape.rows * (n + shape.gap))), g(x.size());
      family.fill(random, x.data(), x.size());
      if (random.one_in(2))
        family.fill(random, g.data(), g.size());
      else
        g = usual<T>(random, std::int64_t(g.size()));
      expect_definition(random, shape, x, g);
    }
}

TYPED_TEST(layer_norm_backward_of, many_rows_by_several_threads) {
  using T = TypeParam;
  random_source random = source_of(1931, 0);
  const shape shape = {3000, 120, 0, 1e-5, 4};
  const auto x = usual<T>(random, shape.rows * shape.n), g = usual<T>(random, shape.rows * shape.n);
  expect_definition(random, shape, x, g);
}

// Gradients whose sum, or whose dot with the rows, is nothing or almost nothing; columns likewise.
TYPED_TEST(layer_norm_backward_of, sums_that_cancel) {
  using T = TypeParam;
  for (const std::int64_t n : {8, 50, 1024}) {
    random_source random = source_of(1932, std::uint64_t(n));
    const std::int64_t rows = 6;
    auto x = usual<T>(random, rows * n), g = usual<T>(random, rows * n);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < n; i += 2) {
        const auto at = std::size_t(row * n + i);
        if (row % 3 < 2) g[at + 1] = negated(g[at]);
        if (row % 3 == 1) x[at + 1] = x[at];
        if (row % 2 == 0) continue;
        const auto above = std::size_t((row - 1) * n + i);
        g[at] = negated(g[above]), g[at + 1] = negated(g[above + 1]);
      }
    for (std::int64_t row = 0; row < rows; row += 2)
      g[std::size_t(row * n)] = make<T>(false, ieee<T>::lsb + 3, 0);
    expect_definition(random, {rows, n}, x, g);
    gradient_case<T, T>({rows, n}, x, g, {}).expect_definition();
  }
}

TYPED_TEST(layer_norm_backward_of, what_is_not_finite_and_zeros) {
  using T = TypeParam;
  using format = ieee<T>;
  const T nan = as_float<T>(bits_of<T>(format::nan | format::sign)),
          infinity = as_float<T>(format::infinity), zero = as_float<T>(bits_of<T>(format::sign));
  const std::int64_t rows = 9, n = 20;
  for (const double eps : {0.0, 1e-6, -1.0})
    for (const bool finite_rows : {false, true}) {
      random_source random = source_of(1933, std::uint64_t(finite_rows));
      auto x = usual<T>(random, rows * n), g = usual<T>(random, rows * n);
      if (!finite_rows) x[3] = nan, x[25] = infinity, g[47] = negated(infinity), g[64] = nan;
      if (!finite_rows) x[5 * n + 1] = infinity, g[5 * n + 1] = zero;
      for (std::int64_t row = 6; row < rows; ++row)
        for (std::int64_t i = 0; i < n; ++i) {
          g[std::size_t(row * n + i)] = random.one_in(2) || row == 8 ? zero : negated(zero);
          if (row == 7) x[std::size_t(row * n + i)] = zero;
        }
      for (std::int64_t row = 0; row < rows; ++row) g[std::size_t(row * n + 9)] = zero;
      expect_definition(random, {rows, n, 0, eps}, x, g);
      gradient_case<T, T>({rows, n, 0, eps}, x, g, {}).expect_definition();
    }
}

TYPED_TEST(layer_norm_backward_of, nothing) {
  using T = TypeParam;
  const array_view none(nullptr, dtype_of<T>, {{0, 0}, {2, std::int64_t(sizeof(T))}});
  std::vector<T> dbias(2, make<T>(false, 0, 0));
  layer_norm_backward_options options;
  options.dbias = dbias.data();
  ASSERT_TRUE(layer_norm_backward(executor::cpu{1}, none, none, nullptr, options));
  EXPECT_EQ(as_bits(dbias[0]), 0u);
  EXPECT_EQ(as_bits(dbias[1]), 0u);
  const array_view empty(nullptr, dtype_of<T>, {{3, 0}, {0, std::int64_t(sizeof(T))}});
  EXPECT_TRUE(layer_norm_backward(executor::cpu{1}, empty, empty, nullptr));
}

void expect_mismatch(const status& why, const char* part) {
  EXPECT_EQ(why.code(), status_code::mismatch);
  EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
}

TEST(layer_norm_backward_refusals, shapes_types_and_overlap_are_named) {
  std::vector<float> x(12), g(12), dx(12), weight(4), sums(8);
  std::vector<double> statistics(6);
  const array_view rows(x.data(), dtype::f32, {{3, 16}, {4, 4}});
  const array_view gradient(g.data(), dtype::f32, {{3, 16}, {4, 4}});
  const auto call = [&](void* out, const auto& change) {
    layer_norm_backward_options options;
    options.weight = array_view(weight.data(), dtype::f32, {{4, 4}});
    options.dweight = sums.data(), options.dbias = sums.data() + 4;
    change(options);
    return layer_norm_backward(executor::cpu{1}, rows, gradient, out, options);
  };
  using options = layer_norm_backward_options;
  EXPECT_TRUE(call(dx.data(), [](options&) {}));
  expect_mismatch(call(x.data() + 11, [](options&) {}), "overlaps");
  expect_mismatch(call(g.data(), [](options&) {}), "overlaps");
  expect_mismatch(call(dx.data(), [](options& o) { o.weight.reset(); }), "no weight");
  expect_mismatch(call(dx.data(), [&](options& o) { o.dbias = sums.data() + 3; }), "overlaps");
  expect_mismatch(call(dx.data(), [&](options& o) { o.dbias = dx.data(); }), "overlaps");
  expect_mismatch(call(dx.data(), [&](options& o) { o.dweight = weight.data(); }), "overlaps");
  expect_mismatch(call(dx.data(), [&](options& o) { o.mean = statistics.data(); }), "together");
  expect_mismatch(call(dx.data(),
                       [&](options& o) {
                         o.mean = statistics.data();
                         o.inverse = reinterpret_cast<double*>(dx.data());
                       }),
                  "overlaps");
  expect_mismatch(call(dx.data(),
                       [](options& o) {
                         o.weight.reset(), o.dweight = nullptr;
                         o.bias_type = dtype::f64;
                       }),
                  "dbias would be f64");
}

}  // namespace
}  // namespace onefold::test
