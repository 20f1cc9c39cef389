// SPDX-License-Identifier: Apache-2.0
// rms_norm_backward on the CPU gives the bits of its definition for every family, shape and weight,
// also where a sum is almost a tie or cancels, and refuses what does not fit.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "onefold/normalize.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/rms_norm_model.hpp"

namespace onefold::test {
namespace {

/// Rows and what the definition makes of them.
template <class T, class W>
struct gradient_case {
  std::int64_t rows, n, gap;
  std::vector<T> x, g;
  std::vector<W> weight{};
  double eps = 0;
  int threads = 1;

  std::int64_t stride() const { return n + gap; }
  array_view view(const std::vector<T>& elements) const {
    constexpr auto item = std::int64_t(sizeof(T));
    return {elements.data(), dtype_of<T>, {{rows, stride() * item}, {n, item}}};
  }

  void expect_definition() const {
    std::vector<T> dx(std::size_t(rows * n) + 1, make<T>(true, 2, 5)), wanted = dx;
    std::vector<W> dweight(std::size_t(n) + 1, make<W>(true, 2, 5)), wanted_weight = dweight;
    std::vector<double> inverse(static_cast<std::size_t>(rows));
    const W* const weights = weight.empty() ? nullptr : weight.data();
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = row * stride();
      inverse[std::size_t(row)] = inverse_of_row(x.data() + at, n, eps);
      row_gradient(x.data() + at, g.data() + at, n, weights, inverse[std::size_t(row)],
                   wanted.data() + row * n);
    }
    for (std::int64_t j = 0; weights != nullptr && j < n; ++j) {
      column_gradient<T> column;
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto at = std::size_t(row * stride() + j);
        column.add(x[at], g[at], inverse[std::size_t(row)]);
      }
      wanted_weight[std::size_t(j)] = column.template value<W>();
    }
    rms_norm_backward_options options = {.eps = eps};
    if (weights != nullptr) {
      options.weight = array_view(weights, dtype_of<W>, {{n, std::int64_t(sizeof(W))}});
      options.dweight = dweight.data();
    }
    const status done =
        rms_norm_backward(executor::cpu{threads}, view(x), view(g), dx.data(), options);
    ASSERT_TRUE(done.ok()) << done.message();
    const std::string text = std::to_string(rows) + " rows of " + std::to_string(n) + " " +
                             std::string(name(dtype_of<T>)) +
                             ", ONEFOLD_TEST_SEED=" + std::to_string(seed());
    EXPECT_EQ(std::memcmp(dx.data(), wanted.data(), dx.size() * sizeof(T)), 0) << text;
    EXPECT_EQ(std::memcmp(dweight.data(), wanted_weight.data(), dweight.size() * sizeof(W)), 0)
        << text;
    expect_each_alone(options, inverse, wanted, wanted_weight);
  }

 private:
  // Each gradient without the other, of given inverses.
  void expect_each_alone(rms_norm_backward_options options, const std::vector<double>& inverse,
                         const std::vector<T>& wanted, const std::vector<W>& wanted_weight) const {
    options.inverse = inverse.data(), options.eps = 7;
    std::vector<W> dweight(wanted_weight.size(), make<W>(true, 2, 5));
    if (options.dweight != nullptr) {
      options.dweight = dweight.data();
      ASSERT_TRUE(rms_norm_backward(executor::cpu{1}, view(x), view(g), nullptr, options));
      EXPECT_EQ(std::memcmp(dweight.data(), wanted_weight.data(), dweight.size() * sizeof(W)), 0);
    }
    std::vector<T> dx(wanted.size(), make<T>(true, 2, 5));
    options.dweight = nullptr;
    ASSERT_TRUE(rms_norm_backward(executor::cpu{1}, view(x), view(g), dx.data(), options));
    EXPECT_EQ(std::memcmp(dx.data(), wanted.data(), dx.size() * sizeof(T)), 0);
  }
};

template <class T>
std::vector<T> usual(random_source& random, std::size_t n) {
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(any_of_exponent<T>(random, int(random.below(6))));
  return x;
}

/// Weights of one of the kinds that T has.
template <class T>
void expect_definition(random_source& random, std::int64_t rows, std::int64_t n, std::int64_t gap,
                       const std::vector<T>& x, const std::vector<T>& g, double eps = 1e-6,
                       int threads = 1) {
  const auto kind = random.below(sizeof(T) == 2 ? 3 : 2);
  const auto columns = std::size_t(n);
  if (kind == 0)
    gradient_case<T, T>{rows, n, gap, x, g, {}, eps, threads}.expect_definition();
  else if (kind == 1)
    gradient_case<T, T>{rows, n, gap, x, g, usual<T>(random, columns), eps, threads}
        .expect_definition();
  else if constexpr (sizeof(T) == 2)
    gradient_case<T, float>{rows, n, gap, x, g, usual<float>(random, columns), eps, threads}
        .expect_definition();
}

template <class T>
class normalize_backward : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(normalize_backward, element_types);

TYPED_TEST(normalize_backward, rows_of_every_family_and_shape) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 2, 7, 64, 333, 3000}) {
      random_source random = source_of(920, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? random.between(1, 9) : 2;
      const std::int64_t gap = std::int64_t(random.below(3));
      std::vector<T> x(std::size_t(rows * (n + gap))), g(x.size());
      family.fill(random, x.data(), x.size());
      if (random.one_in(2))
        family.fill(random, g.data(), g.size());
      else
        g = usual<T>(random, g.size());
      const double eps[] = {0, 1e-6, 1e30};
      expect_definition(random, rows, n, gap, x, g, eps[index % 3], 1 + int(random.below(3)));
    }
}

TYPED_TEST(normalize_backward, many_rows_by_several_threads) {
  using T = TypeParam;
  random_source random = source_of(921, 0);
  const std::int64_t rows = 3000, n = 120;
  const auto x = usual<T>(random, std::size_t(rows * n)), g = usual<T>(random, x.size());
  gradient_case<T, T>{rows, n, 0, x, g, usual<T>(random, std::size_t(n)), 1e-5, 4}
      .expect_definition();
}

// Rows whose dot is nothing or almost nothing, columns that cancel: neither a sum of doubles nor
// its bound can round them.
TYPED_TEST(normalize_backward, sums_that_cancel) {
  using T = TypeParam;
  for (const std::int64_t n : {8, 50, 1024}) {
    random_source random = source_of(922, std::uint64_t(n));
    const std::int64_t rows = 6;
    auto x = usual<T>(random, std::size_t(rows * n)), g = usual<T>(random, x.size());
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t i = 0; i < n; i += 2) {
        const auto at = std::size_t(row * n + i);
        // Within a row g alternates on equal x; in columns it does from row to row.
        x[at + 1] = x[at], g[at + 1] = negated(g[at]);
        if (row % 2 == 0) continue;
        const auto above = std::size_t((row - 1) * n + i);
        x[at] = x[at + 1] = x[above], g[at] = negated(g[above]), g[at + 1] = g[above];
      }
    for (std::int64_t row = 0; row < rows; row += 3)
      g[std::size_t(row * n)] = make<T>(false, ieee<T>::lsb + 3, 0);
    gradient_case<T, T>{rows, n, 0, x, g, {}}.expect_definition();
    gradient_case<T, T>{rows, n, 0, x, g, std::vector<T>(std::size_t(n), make<T>(false, 0, 0))}
        .expect_definition();
  }
}

TYPED_TEST(normalize_backward, what_is_not_finite_and_zeros) {
  using T = TypeParam;
  using format = ieee<T>;
  const T nan = as_float<T>(bits_of<T>(format::nan | format::sign)),
          infinity = as_float<T>(format::infinity), zero = as_float<T>(bits_of<T>(format::sign));
  const std::int64_t rows = 8, n = 20;
  for (const double eps : {0.0, 1e-6, -1.0})
    for (const bool finite_rows : {false, true}) {
      random_source random = source_of(923, std::uint64_t(finite_rows));
      auto x = usual<T>(random, std::size_t(rows * n)), g = usual<T>(random, x.size());
      if (!finite_rows) x[3] = nan, x[25] = infinity, g[47] = negated(infinity), g[64] = nan;
      if (!finite_rows) x[5 * n + 1] = infinity, g[5 * n + 1] = zero;
      for (std::int64_t row = 6; row < rows; ++row)
        for (std::int64_t i = 0; i < n; ++i) {
          g[std::size_t(row * n + i)] = random.one_in(2) ? zero : negated(zero);
          if (row == 7) x[std::size_t(row * n + i)] = zero;
        }
      for (std::int64_t row = 0; row < rows; ++row) g[std::size_t(row * n + 9)] = zero;
      gradient_case<T, T>{rows, n, 0, x, g, usual<T>(random, std::size_t(n)), eps}
          .expect_definition();
      gradient_case<T, T>{rows, n, 0, x, g, {}, eps}.expect_definition();
    }
}

TYPED_TEST(normalize_backward, nothing) {
  using T = TypeParam;
  const array_view none(nullptr, dtype_of<T>, {{0, 0}, {2, std::int64_t(sizeof(T))}});
  const std::vector<T> weight(2, make<T>(false, 0, 0));
  std::vector<T> dweight(2, make<T>(false, 0, 0));
  rms_norm_backward_options options = {.dweight = dweight.data()};
  options.weight = array_view(weight.data(), dtype_of<T>, {{2, std::int64_t(sizeof(T))}});
  ASSERT_TRUE(rms_norm_backward(executor::cpu{1}, none, none, nullptr, options));
  EXPECT_EQ(as_bits(dweight[0]), 0u);
  EXPECT_EQ(as_bits(dweight[1]), 0u);
  const array_view empty(nullptr, dtype_of<T>, {{3, 0}, {0, std::int64_t(sizeof(T))}});
  EXPECT_TRUE(rms_norm_backward(executor::cpu{1}, empty, empty, nullptr));
}

void expect_mismatch(const status& why, const char* part) {
  EXPECT_EQ(why.code(), status_code::mismatch);
  EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
}

TEST(normalize_backward_refusals, shapes_types_and_overlap_are_named) {
  std::vector<float> x(12), g(12), dx(12), weight(4), dweight(4);
  std::vector<double> wide(12);
  const executor on = executor::cpu{1};
  const array_view rows(x.data(), dtype::f32, {{3, 16}, {4, 4}});
  const array_view gradient(g.data(), dtype::f32, {{3, 16}, {4, 4}});
  const auto call = [&](const array_view& to, void* out,
                        const rms_norm_backward_options& options = {}) {
    return rms_norm_backward(on, rows, to, out, options);
  };
  expect_mismatch(call({g.data(), dtype::f32, {{12, 4}}}, dx.data()), "two axes");
  expect_mismatch(call({wide.data(), dtype::f64, {{3, 32}, {4, 8}}}, dx.data()), "f64");
  expect_mismatch(call({g.data(), dtype::f32, {{2, 16}, {4, 4}}}, dx.data()), "shapes");
  expect_mismatch(call({g.data(), dtype::f32, {{3, 4}, {4, 12}}}, dx.data()), "adjacent");
  expect_mismatch(call(gradient, x.data() + 11), "overlaps");
  expect_mismatch(call(gradient, g.data()), "overlaps");
  const array_view weights(weight.data(), dtype::f32, {{4, 4}});
  expect_mismatch(call(gradient, dx.data(), {.dweight = dweight.data()}), "no weight");
  expect_mismatch(call(gradient, dx.data(), {.weight = weights, .dweight = dx.data() + 8}),
                  "overlaps");
  expect_mismatch(call(gradient, dx.data(), {.weight = weights, .dweight = weight.data() + 3}),
                  "overlaps");
  expect_mismatch(call(gradient, dx.data(),
                       {.weight = weights, .inverse = reinterpret_cast<double*>(dx.data())}),
                  "overlaps");
  expect_mismatch(
      call(gradient, dx.data(), {.weight = array_view(weight.data(), dtype::f32, {{3, 4}})}),
      "as many elements");
}

// Rows in reverse and one gradient for all, as of a sum.
TEST(normalize_backward_layouts, rows_at_any_distance) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6}, g = {2, 3}, same = {2, 3, 2, 3, 2, 3};
  float dx[6], wanted[6];
  const array_view rows(x.data(), dtype::f32, {{3, 8}, {2, 4}});
  ASSERT_TRUE(
      rms_norm_backward(executor::cpu{1}, rows, {g.data(), dtype::f32, {{3, 0}, {2, 4}}}, dx));
  ASSERT_TRUE(rms_norm_backward(executor::cpu{1}, rows, {same.data(), dtype::f32, {{3, 8}, {2, 4}}},
                                wanted));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(dx[i], wanted[i]);
  ASSERT_TRUE(rms_norm_backward(executor::cpu{1}, {x.data() + 4, dtype::f32, {{3, -8}, {2, 4}}},
                                {g.data(), dtype::f32, {{3, 0}, {2, 4}}}, dx));
  for (int row = 0; row < 3; ++row) EXPECT_EQ(dx[2 * row], wanted[2 * (2 - row)]);
}

}  // namespace
}  // namespace onefold::test
