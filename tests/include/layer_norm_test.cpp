// SPDX-License-Identifier: Apache-2.0
// layer_norm on the CPU gives the bits of its definition for every family, shape, weight and bias,
// does not depend on the batch, and refuses what does not fit.
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

template <class T>
array_view rows_of(const T* x, std::int64_t rows, std::int64_t n, std::int64_t stride) {
  constexpr auto item = std::int64_t(sizeof(T));
  return {x, dtype_of<T>, {{rows, stride * item}, {n, item}}};
}
template <class T>
array_view one_axis(const std::vector<T>& x) {
  return {x.data(), dtype_of<T>, {{std::int64_t(x.size()), std::int64_t(sizeof(T))}}};
}

template <class T>
std::vector<T> usual(random_source& random, std::int64_t n) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i)
    x.push_back(any_of_exponent<T>(random, int(random.below(6))));
  return x;
}

struct shape {
  std::int64_t rows, n, stride;
};

/// Empty weights and biases are none.
template <class T, class W>
void expect_definition(const std::vector<T>& x, const shape& shape, const std::vector<W>& weight,
                       const std::vector<W>& bias, double eps, int threads) {
  const auto [rows, n, stride] = shape;
  std::vector<T> y(std::size_t(rows * n) + 1, make<T>(true, 2, 5)), wanted = y, again = y;
  std::vector<double> mean(static_cast<std::size_t>(rows)), inverse = mean;
  layer_norm_options options;
  options.eps = eps, options.mean = mean.data(), options.inverse = inverse.data();
  if (!weight.empty()) options.weight = one_axis(weight);
  if (!bias.empty()) options.bias = one_axis(bias);
  const array_view view = rows_of(x.data(), rows, n, stride);
  const status done = layer_norm(executor::cpu{threads}, view, y.data(), options);
  ASSERT_TRUE(done.ok()) << done.message();
  for (std::int64_t row = 0; row < rows; ++row) {
    double m = 0, r = 0;
    layer_normalize_row(x.data() + row * stride, n, weight.empty() ? nullptr : weight.data(),
                        bias.empty() ? nullptr : bias.data(), eps, m, r, wanted.data() + row * n);
    ASSERT_EQ(as_bits(mean[std::size_t(row)]), as_bits(m)) << "row " << row;
    ASSERT_EQ(as_bits(inverse[std::size_t(row)]), as_bits(r)) << "row " << row;
  }
  EXPECT_EQ(std::memcmp(y.data(), wanted.data(), y.size() * sizeof(T)), 0)
      << rows << " rows of " << n << " " << name(dtype_of<T>) << ", stride " << stride
      << ", ONEFOLD_TEST_SEED=" << seed();
  options.mean = options.inverse = nullptr;
  ASSERT_TRUE(layer_norm(executor::cpu{1}, view, again.data(), options));
  EXPECT_EQ(std::memcmp(again.data(), wanted.data(), y.size() * sizeof(T)), 0);
}

template <class W, class T>
void expect_any_vectors(const std::vector<T>& x, const shape& shape, random_source& random,
                        double eps, int threads) {
  const auto weight = random.one_in(3) ? std::vector<W>() : usual<W>(random, shape.n);
  const auto bias = random.one_in(3) ? std::vector<W>() : usual<W>(random, shape.n);
  expect_definition<T, W>(x, shape, weight, bias, eps, threads);
}

template <class T>
class layer_norm_rows_of : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(layer_norm_rows_of, element_types);

TYPED_TEST(layer_norm_rows_of, every_family_and_shape) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 2, 7, 64, 333, 5000}) {
      random_source random = source_of(1810, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? random.between(1, 9) : 2;
      const shape shape = {rows, n, n + std::int64_t(random.below(3))};
      std::vector<T> x(std::size_t(rows * shape.stride));
      family.fill(random, x.data(), x.size());
      const double eps[] = {0, 1e-6, 1e30};
      const int threads = 1 + int(random.below(3));
      if (sizeof(T) == 2 && random.one_in(2))
        expect_any_vectors<float>(x, shape, random, eps[index % 3], threads);
      else
        expect_any_vectors<T>(x, shape, random, eps[index % 3], threads);
    }
}

// More than the 4 MiB of centred elements that are in memory at a time; and rows of more each.
TYPED_TEST(layer_norm_rows_of, more_memory_than_is_centred_at_a_time) {
  using T = TypeParam;
  for (const shape& shape : {shape{2100, 1000, 1000}, shape{2, 1100000, 1100000}}) {
    random_source random = source_of(1811, std::uint64_t(shape.n));
    const auto x = usual<T>(random, shape.rows * shape.stride);
    expect_any_vectors<T>(x, shape, random, 1e-5, 4);
  }
}

// Elements next to their mean, of both signs of zero, and one that is not.
TYPED_TEST(layer_norm_rows_of, elements_that_are_equal_or_zeros) {
  using T = TypeParam;
  random_source random = source_of(1812, 0);
  const T minus_zero = as_float<T>(bits_of<T>(ieee<T>::sign));
  for (const double eps : {0.0, 1e-5, -1.0}) {
    std::vector<T> x(std::size_t(5) * 24, minus_zero);
    for (std::size_t i = 24; i < 48; ++i) x[i] = random.one_in(2) ? T{} : minus_zero;
    for (std::size_t i = 48; i < 72; ++i) x[i] = make<T>(false, 3, 1);
    for (std::size_t i = 72; i < 96; ++i) x[i] = make<T>(false, 3, random.one_in(5) ? 2 : 1);
    for (std::size_t i = 96; i < 120; ++i) x[i] = make<T>(i % 2 == 0, 1, 3);
    expect_any_vectors<T>(x, {5, 24, 24}, random, eps, 1);
  }
}

TYPED_TEST(layer_norm_rows_of, what_is_not_finite) {
  using T = TypeParam;
  using format = ieee<T>;
  const T nan = as_float<T>(bits_of<T>(format::nan | format::sign)),
          infinity = as_float<T>(format::infinity),
          largest = as_float<T>(bits_of<T>(format::infinity - 1));
  random_source random = source_of(1813, 0);
  std::vector<T> x = usual<T>(random, 5 * 20);
  x[3] = nan, x[25] = infinity, x[47] = negated(infinity);
  x[61] = infinity, x[62] = negated(infinity);
  // Sums of f64 overflow, as do differences.
  for (std::size_t i = 80; i < 100; ++i) x[i] = i < 95 ? largest : negated(largest);
  for (const double eps : {0.0, 1e-6}) expect_any_vectors<T>(x, {5, 20, 20}, random, eps, 1);
}

TYPED_TEST(layer_norm_rows_of, nothing) {
  using T = TypeParam;
  double mean[2] = {1, 1}, inverse[2] = {1, 1};
  T y{};
  layer_norm_options options;
  options.mean = mean, options.inverse = inverse;
  EXPECT_TRUE(layer_norm(executor::cpu{}, rows_of<T>(nullptr, 0, 5, 5), nullptr));
  EXPECT_TRUE(layer_norm(executor::cpu{}, rows_of<T>(nullptr, 2, 0, 0), &y, options));
  for (const double one : {mean[0], mean[1], inverse[0], inverse[1]})
    EXPECT_EQ(as_bits(one), ieee<double>::nan);
}

void expect_mismatch(const status& why, const char* part) {
  EXPECT_EQ(why.code(), status_code::mismatch);
  EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
}

TEST(layer_norm_refusals, shapes_types_and_overlap_are_named) {
  std::vector<float> x(12), y(12), weight(4);
  std::vector<double> wide(4);
  const std::vector<f16> narrow(12);
  const array_view rows = rows_of(x.data(), 3, 4, 4);
  const executor on = executor::cpu{1};
  layer_norm_options weighted, biased, both, means, inverses, same;
  weighted.weight = one_axis(x), biased.bias = one_axis(wide);
  both.weight = one_axis(weight), both.bias = array_view(narrow.data(), dtype::f16, {{4, 2}});
  means.mean = reinterpret_cast<double*>(y.data() + 10);
  inverses.inverse = reinterpret_cast<double*>(x.data());
  same.mean = same.inverse = wide.data();
  expect_mismatch(layer_norm(on, one_axis(x), y.data()), "two axes");
  expect_mismatch(layer_norm(on, {x.data(), dtype::i32, {{3, 16}, {4, 4}}}, y.data()), "floating");
  expect_mismatch(layer_norm(on, rows, y.data(), weighted), "the weight is not");
  expect_mismatch(layer_norm(on, rows, y.data(), biased), "the bias's elements are f64");
  expect_mismatch(layer_norm(on, rows_of(narrow.data(), 3, 4, 4), y.data(), both),
                  "those of the bias are f16");
  expect_mismatch(layer_norm(on, rows, x.data() + 11), "overlaps");
  expect_mismatch(layer_norm(on, rows, y.data(), means), "overlaps");
  expect_mismatch(layer_norm(on, rows, y.data(), inverses), "overlaps");
  expect_mismatch(layer_norm(on, rows, y.data(), same), "overlaps");
  weighted.weight = array_view(y.data() + 2, dtype::f32, {{4, 4}});
  expect_mismatch(layer_norm(on, rows, y.data(), weighted), "overlaps");
  same.inverse = nullptr, same.mean = reinterpret_cast<double*>(weight.data() + 1);
  expect_mismatch(layer_norm(on, rows, y.data(), same), "aligned");
}

// Rows in reverse, and one row for all.
TEST(layer_norm_layouts, rows_at_any_distance) {
  const std::vector<float> x = {1, 2, 3, 5, 5, 9};
  float y[6], wanted[6];
  layer_norm_options options;
  options.eps = 1;
  ASSERT_TRUE(
      layer_norm(executor::cpu{1}, {x.data() + 4, dtype::f32, {{3, -8}, {2, 4}}}, y, options));
  ASSERT_TRUE(
      layer_norm(executor::cpu{1}, {x.data(), dtype::f32, {{3, 8}, {2, 4}}}, wanted, options));
  for (int row = 0; row < 3; ++row) EXPECT_EQ(y[2 * row], wanted[2 * (2 - row)]);
  ASSERT_TRUE(layer_norm(executor::cpu{1}, {x.data(), dtype::f32, {{3, 0}, {2, 4}}}, y, options));
  for (int row = 0; row < 3; ++row) EXPECT_EQ(y[2 * row + 1], wanted[1]);
}

}  // namespace
}  // namespace onefold::test
