// SPDX-License-Identifier: Apache-2.0
// softmax_backward and log_softmax_backward on the CPU give the bits of their definition for every
// family and shape, also where a row's sum is almost a tie or cancels, in place too, and refuse
// what does not fit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stop_token>
#include <string>
#include <vector>

#include "onefold/normalize.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/softmax_gradient_model.hpp"

namespace onefold::test {
namespace {

struct shape {
  std::int64_t rows, n, gap = 0, g_gap = 0;
  int threads = 1;
};

template <class T>
array_view view_of(const std::vector<T>& elements, const shape& shape, std::int64_t gap) {
  constexpr auto item = std::int64_t(sizeof(T));
  return {elements.data(), dtype_of<T>, {{shape.rows, (shape.n + gap) * item}, {shape.n, item}}};
}

/// Both functions.
template <class T>
void expect_definition(const shape& shape, const std::vector<T>& y, const std::vector<T>& g) {
  for (const bool logarithm : {false, true}) {
    std::vector<T> dx(std::size_t(shape.rows * shape.n) + 1, make<T>(true, 2, 5)), wanted = dx;
    for (std::int64_t row = 0; row < shape.rows; ++row)
      softmax_gradient_row(y.data() + row * (shape.n + shape.gap),
                           g.data() + row * (shape.n + shape.g_gap), shape.n, logarithm,
                           wanted.data() + row * shape.n);
    const auto call = logarithm ? log_softmax_backward : softmax_backward;
    const status done = call(executor::cpu{shape.threads}, view_of(y, shape, shape.gap),
                             view_of(g, shape, shape.g_gap), dx.data(), {});
    ASSERT_TRUE(done.ok()) << done.message();
    for (std::size_t i = 0; i < dx.size(); ++i)
      ASSERT_EQ(as_bits(dx[i]), as_bits(wanted[i]))
          << "element " << i << " of " << shape.rows << " rows of " << shape.n << " "
          << name(dtype_of<T>) << (logarithm ? ", log_softmax" : ", softmax")
          << ", ONEFOLD_TEST_SEED=" << seed();
  }
}

template <class T>
std::vector<T> usual(random_source& random, std::size_t n) {
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(any_of_exponent<T>(random, int(random.below(6))));
  return x;
}
/// Logarithms and what else exponentials treat in a way of their own.
template <class T>
std::vector<T> logarithms(random_source& random, std::size_t n) {
  const double scales[] = {1, 20, 100, 300}, scale = scales[random.below(4)];
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    const double size = scale * std::fabs(random.normal());
    x.push_back(chopped<T>(random.one_in(8) ? size : -size));
  }
  return x;
}

template <class T>
class softmax_gradient : public testing::Test {};
using element_types = testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(softmax_gradient, element_types);

TYPED_TEST(softmax_gradient, rows_of_every_family_and_shape) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 2, 7, 8, 64, 333, 3000}) {
      random_source random = source_of(960, index++);
      SCOPED_TRACE(family.name);
      const shape shape = {n < 1000 ? random.between(1, 9) : 2, n, std::int64_t(random.below(3)),
                           std::int64_t(random.below(2)), 1 + int(random.below(3))};
      std::vector<T> y(std::size_t(shape.rows * (n + shape.gap))),
          g(std::size_t(shape.rows * (n + shape.g_gap)));
      const bool of_y = random.one_in(2);
      if (of_y)
        family.fill(random, y.data(), y.size());
      else
        y = logarithms<T>(random, y.size());
      if (!of_y || random.one_in(2))
        family.fill(random, g.data(), g.size());
      else
        g = usual<T>(random, g.size());
      expect_definition(shape, y, g);
    }
}

TYPED_TEST(softmax_gradient, long_rows_and_many_rows_by_several_threads) {
  using T = TypeParam;
  for (const shape& shape : {shape{3000, 120, 0, 0, 4}, {2, 70001, 0, 3, 2}}) {
    random_source random = source_of(961, std::uint64_t(shape.n));
    const auto count = std::size_t(shape.rows * (shape.n + 3));
    expect_definition(shape, logarithms<T>(random, count), usual<T>(random, count));
  }
}

// Sums that are nothing or almost nothing, or next to a tie of floats: no sum of doubles and its
// bound can round them.
TYPED_TEST(softmax_gradient, sums_that_cancel_and_ties) {
  using T = TypeParam;
  const T one = make<T>(false, 0, 0), tiny = make<T>(false, ieee<T>::lsb + 3, 0);
  for (const std::int64_t n : {8, 50, 1024}) {
    random_source random = source_of(962, std::uint64_t(n));
    const shape shape = {6, n};
    auto y = usual<T>(random, std::size_t(shape.rows * n)), g = usual<T>(random, y.size());
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      for (std::int64_t i = 0; i < n; i += 2) {
        const auto at = std::size_t(row * n + i);
        y[at + 1] = y[at], g[at + 1] = negated(g[at]);
      }
      const auto first = std::size_t(row * n);
      if (row % 3 == 0) g[first] = tiny;
      if (row % 3 == 1) {
        // 1 + 2^-24 of products and terms, and a little more or less.
        y[first] = y[first + 1] = y[first + 2] = one, g[first] = one;
        g[first + 1] = power_of_two<T>(false, -24);
        g[first + 2] = row == 1 ? tiny : negated(tiny);
        y[first + 3] = g[first + 3] = make<T>(true, 0, 0);
        y[first + 3] = as_float<T>(bits_of<T>(0)), g[first + 3] = as_float<T>(bits_of<T>(0));
      }
    }
    expect_definition(shape, y, g);
  }
}

TYPED_TEST(softmax_gradient, what_is_not_finite_and_zeros) {
  using T = TypeParam;
  using format = ieee<T>;
  const T nan = as_float<T>(bits_of<T>(format::nan | format::sign)),
          infinity = as_float<T>(format::infinity), zero = as_float<T>(bits_of<T>(0));
  const shape shape = {9, 20};
  random_source random = source_of(963, 0);
  auto y = logarithms<T>(random, std::size_t(shape.rows * shape.n)), g = usual<T>(random, y.size());
  const auto at = [&](std::int64_t row, std::int64_t i) { return std::size_t(row * shape.n + i); };
  y[at(0, 3)] = nan, y[at(1, 5)] = infinity, g[at(2, 7)] = negated(infinity), g[at(3, 4)] = nan;
  y[at(4, 1)] = infinity, g[at(4, 1)] = zero, y[at(5, 2)] = negated(infinity);
  for (std::int64_t row = 6; row < shape.rows; ++row)
    for (std::int64_t i = 0; i < shape.n; ++i) {
      g[at(row, i)] = row == 8 || random.one_in(2) ? negated(zero) : zero;
      if (row > 6) y[at(row, i)] = zero;
    }
  expect_definition(shape, y, g);
}

// Every element of 16 bits, and floats about the ends of what exponentials are.
TYPED_TEST(softmax_gradient, exponentials_of_all_results) {
  using T = TypeParam;
  std::vector<T> y;
  if constexpr (sizeof(T) == 2) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) y.push_back(as_float<T>(bits_of<T>(bits)));
  } else {
    for (const float middle : {0.0f, -87.34f, -103.97f, -256.0f, 88.73f, 256.0f, -700.0f, 700.0f})
      for (int i = -500; i <= 500; ++i) y.push_back(middle + float(i) * 0x1p-9f);
    for (const float one : {-1e30f, 1e30f, -0x1p-149f, -INFINITY, INFINITY}) y.push_back(one);
  }
  random_source random = source_of(964, 0);
  const auto n = std::int64_t(y.size());
  std::vector<T> g(y.size(), as_float<T>(bits_of<T>(0)));
  for (std::size_t i = 0; i < 9; ++i) g[i] = any_of_exponent<T>(random, 1);
  expect_definition({1, n}, y, g);
  expect_definition({n, 1}, y, usual<T>(random, y.size()));
}

TYPED_TEST(softmax_gradient, in_place_of_either_operand) {
  using T = TypeParam;
  random_source random = source_of(965, 0);
  const shape shape = {5, 77};
  const auto y = logarithms<T>(random, std::size_t(shape.rows * shape.n)),
             g = usual<T>(random, y.size());
  for (const bool logarithm : {false, true}) {
    const auto call = logarithm ? log_softmax_backward : softmax_backward;
    std::vector<T> own_y = y, own_g = g, both = g, dx(y.size()), of_both = dx;
    const auto view = [&](const std::vector<T>& x) { return view_of(x, shape, 0); };
    ASSERT_TRUE(call(executor::cpu{1}, view(y), view(g), dx.data(), {}));
    ASSERT_TRUE(call(executor::cpu{1}, view(g), view(g), of_both.data(), {}));
    ASSERT_TRUE(call(executor::cpu{1}, view(own_y), view(g), own_y.data(), {}));
    ASSERT_TRUE(call(executor::cpu{1}, view(y), view(own_g), own_g.data(), {}));
    ASSERT_TRUE(call(executor::cpu{1}, view(both), view(both), both.data(), {}));
    const std::size_t bytes = dx.size() * sizeof(T);
    EXPECT_EQ(std::memcmp(own_y.data(), dx.data(), bytes), 0);
    EXPECT_EQ(std::memcmp(own_g.data(), dx.data(), bytes), 0);
    EXPECT_EQ(std::memcmp(both.data(), of_both.data(), bytes), 0);
  }
}

void expect_mismatch(const status& why, const char* part) {
  EXPECT_EQ(why.code(), status_code::mismatch);
  EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
}

TEST(softmax_gradient_refusals, shapes_types_and_overlap_are_named) {
  std::vector<float> y(12), g(12), dx(12);
  std::vector<double> wide(12);
  const array_view rows(y.data(), dtype::f32, {{3, 16}, {4, 4}});
  const array_view gradient(g.data(), dtype::f32, {{3, 16}, {4, 4}});
  for (const auto backward : {softmax_backward, log_softmax_backward}) {
    const auto call = [&](const array_view& from, const array_view& of_y, void* to) {
      return backward(executor::cpu{1}, from, of_y, to, {});
    };
    expect_mismatch(call({y.data(), dtype::f32, {{12, 4}}}, gradient, dx.data()), "two axes");
    expect_mismatch(call(rows, {g.data(), dtype::f32, {{12, 4}}}, dx.data()), "two axes");
    expect_mismatch(call(rows, {wide.data(), dtype::f64, {{3, 32}, {4, 8}}}, dx.data()), "f64");
    expect_mismatch(call(rows, {g.data(), dtype::f32, {{2, 16}, {4, 4}}}, dx.data()), "shapes");
    expect_mismatch(call(rows, {g.data(), dtype::f32, {{3, 16}, {3, 4}}}, dx.data()), "shapes");
    expect_mismatch(call(rows, {g.data(), dtype::f32, {{3, 4}, {4, 12}}}, dx.data()), "adjacent");
    expect_mismatch(call(rows, gradient, reinterpret_cast<char*>(dx.data()) + 1), "aligned");
    expect_mismatch(call(rows, gradient, y.data() + 1), "overlaps");
    expect_mismatch(call(rows, gradient, g.data() + 11), "overlaps");
    // The first row of each pair: contiguous rows are another matrix.
    const array_view pairs(g.data(), dtype::f32, {{2, 24}, {2, 4}});
    expect_mismatch(call({y.data(), dtype::f32, {{2, 8}, {2, 4}}}, pairs, g.data()), "overlaps");
    const array_view doubles(wide.data(), dtype::f64, {{3, 32}, {4, 8}});
    EXPECT_EQ(call(doubles, doubles, dx.data()).code(), status_code::unsupported);
    EXPECT_TRUE(call({nullptr, dtype::f32, {{0, 0}, {4, 4}}},
                     {nullptr, dtype::f32, {{0, 0}, {4, 4}}}, nullptr));
    EXPECT_TRUE(call({nullptr, dtype::f32, {{3, 0}, {0, 4}}},
                     {nullptr, dtype::f32, {{3, 0}, {0, 4}}}, nullptr));
  }
}

// Rows in reverse and one gradient for all, as of a sum.
TEST(softmax_gradient_layouts, rows_at_any_distance) {
  const std::vector<float> y = {0.25f, 0.75f, 0.5f, 0.5f, 1, 0}, g = {2, 3};
  const std::vector<float> same = {2, 3, 2, 3, 2, 3};
  float dx[6], wanted[6];
  const array_view rows(y.data(), dtype::f32, {{3, 8}, {2, 4}});
  const array_view one(g.data(), dtype::f32, {{3, 0}, {2, 4}});
  const executor on = executor::cpu{1};
  ASSERT_TRUE(softmax_backward(on, rows, one, dx));
  ASSERT_TRUE(softmax_backward(on, rows, {same.data(), dtype::f32, {{3, 8}, {2, 4}}}, wanted));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(dx[i], wanted[i]);
  ASSERT_TRUE(softmax_backward(on, {y.data() + 4, dtype::f32, {{3, -8}, {2, 4}}}, one, dx));
  for (int row = 0; row < 3; ++row) EXPECT_EQ(dx[2 * row], wanted[2 * (2 - row)]);
}

TEST(softmax_gradient_stops, a_stop_request_cancels) {
  std::stop_source source;
  source.request_stop();
  const std::vector<float> y(std::size_t(1) << 20), g(y.size());
  std::vector<float> dx(y.size());
  const shape shape = {1024, 1024};
  for (const auto backward : {softmax_backward, log_softmax_backward})
    EXPECT_EQ(backward(executor::cpu{1}, view_of(y, shape, 0), view_of(g, shape, 0), dx.data(),
                       source.get_token())
                  .code(),
              status_code::cancelled);
}

}  // namespace
}  // namespace onefold::test
