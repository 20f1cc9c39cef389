// SPDX-License-Identifier: Apache-2.0
// rms_norm on the CPU gives the bits of its definition for every family, shape and weight, does not
// depend on the batch, and refuses what does not fit.
#include "onefold/normalize.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/rms_norm_model.hpp"

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
std::vector<T> usual(random_source& random, std::size_t n) {
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(any_of_exponent<T>(random, int(random.below(6))));
  return x;
}

template <class T, class W>
void expect_definition(const std::vector<T>& x, std::int64_t rows, std::int64_t n,
                       std::int64_t stride, const std::vector<W>& weight, double eps, int threads) {
  std::vector<T> y(std::size_t(rows * n) + 1, make<T>(true, 2, 5)), wanted = y;
  std::vector<double> inverse(static_cast<std::size_t>(rows));
  rms_norm_options options;
  options.eps = eps;
  options.inverse = inverse.data();
  if (!weight.empty()) options.weight = one_axis(weight);
  const status done =
      rms_norm(executor::cpu{threads}, rows_of(x.data(), rows, n, stride), y.data(), options);
  ASSERT_TRUE(done.ok()) << done.message();
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* const from = x.data() + row * stride;
    const double r = inverse_of_row(from, n, eps);
    ASSERT_EQ(as_bits(inverse[std::size_t(row)]), as_bits(r)) << "row " << row;
    normalize_row(from, n, weight.empty() ? nullptr : weight.data(), r, wanted.data() + row * n);
  }
  EXPECT_EQ(std::memcmp(y.data(), wanted.data(), y.size() * sizeof(T)), 0)
      << rows << " rows of " << n << " " << name(dtype_of<T>) << ", stride " << stride
      << ", ONEFOLD_TEST_SEED=" << seed();
  std::vector<T> again(std::size_t(rows * n) + 1, make<T>(true, 2, 5));
  options.inverse = nullptr;
  ASSERT_TRUE(
      rms_norm(executor::cpu{1}, rows_of(x.data(), rows, n, stride), again.data(), options));
  EXPECT_EQ(std::memcmp(again.data(), wanted.data(), y.size() * sizeof(T)), 0);
}

template <class T>
class normalize : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(normalize, element_types);

TYPED_TEST(normalize, rows_of_every_family_and_shape) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 2, 7, 64, 333, 5000}) {
      random_source random = source_of(910, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? random.between(1, 9) : 2;
      const std::int64_t stride = n + std::int64_t(random.below(3));
      std::vector<T> x(std::size_t(rows * stride));
      family.fill(random, x.data(), x.size());
      const double eps[] = {0, 1e-6, 1e30};
      const int threads = 1 + int(random.below(3));
      if (random.one_in(3))
        expect_definition<T, T>(x, rows, n, stride, {}, eps[index % 3], threads);
      else if (sizeof(T) == 2 && random.one_in(2))
        expect_definition(x, rows, n, stride, usual<float>(random, std::size_t(n)), eps[index % 3],
                          threads);
      else
        expect_definition(x, rows, n, stride, usual<T>(random, std::size_t(n)), eps[index % 3],
                          threads);
    }
}

TYPED_TEST(normalize, many_rows_by_several_threads) {
  using T = TypeParam;
  random_source random = source_of(911, 0);
  const auto x = usual<T>(random, std::size_t(2000) * 300);
  expect_definition(x, 2000, 300, 300, usual<T>(random, 300), 1e-5, 4);
}

// Every element of 16 bits times scales that make all kinds of results: the conversions.
template <class T>
void expect_all_elements() {
  std::vector<T> x;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const T one{std::uint16_t(bits)};
    if ((bits & ieee<T>::infinity) != ieee<T>::infinity) x.push_back(one);
  }
  random_source random = source_of(912, sizeof(T));
  for (const double exponent : {-30, -16, -3, 0, 4, 20}) {
    std::vector<float> weight;
    for (std::size_t i = 0; i < x.size(); ++i)
      weight.push_back(any_of_exponent<float>(random, int(exponent)));
    expect_definition(x, 1, std::int64_t(x.size()), std::int64_t(x.size()), weight, 0, 1);
  }
}
TEST(normalize_halves, every_element_of_16_bits) {
  expect_all_elements<f16>();
  expect_all_elements<bf16>();
}

TYPED_TEST(normalize, what_is_not_finite_and_zeros) {
  using T = TypeParam;
  using format = ieee<T>;
  const T nan = as_float<T>(bits_of<T>(format::nan | format::sign)),
          infinity = as_float<T>(format::infinity), zero = as_float<T>(bits_of<T>(format::sign));
  for (const double eps : {0.0, 1e-6, -1.0}) {
    random_source random = source_of(913, 0);
    std::vector<T> x = usual<T>(random, std::size_t(4) * 20);
    x[3] = nan, x[25] = infinity, x[47] = negated(infinity);
    for (std::size_t i = 60; i < 80; ++i) x[i] = zero;
    expect_definition(x, 4, 20, 20, usual<T>(random, 20), eps, 1);
  }
}

TYPED_TEST(normalize, nothing) {
  using T = TypeParam;
  double inverse[2] = {1, 1};
  T y{};
  const rms_norm_options options = {.inverse = inverse};
  EXPECT_TRUE(rms_norm(executor::cpu{}, rows_of<T>(nullptr, 0, 5, 5), nullptr));
  EXPECT_TRUE(rms_norm(executor::cpu{}, rows_of<T>(nullptr, 2, 0, 0), &y, options));
  EXPECT_EQ(as_bits(inverse[0]), ieee<double>::nan);
  EXPECT_EQ(as_bits(inverse[1]), ieee<double>::nan);
}

void expect_mismatch(const status& why, const char* part) {
  EXPECT_EQ(why.code(), status_code::mismatch);
  EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
}

TEST(normalize_refusals, shapes_types_and_overlap_are_named) {
  std::vector<float> x(12), y(12), weight(4);
  const std::vector<double> wide(4);
  const array_view rows = rows_of(x.data(), 3, 4, 4);
  const executor on = executor::cpu{1};
  const auto with_weight = [](const array_view& one) { return rms_norm_options{.weight = one}; };
  expect_mismatch(rms_norm(on, one_axis(x), y.data()), "two axes");
  expect_mismatch(rms_norm(on, {x.data(), dtype::i32, {{3, 16}, {4, 4}}}, y.data()), "floating");
  expect_mismatch(rms_norm(on, {x.data(), dtype::f32, {{4, 4}, {3, 16}}}, y.data()), "adjacent");
  expect_mismatch(rms_norm(on, {x.data(), dtype::f32, {{2, 18}, {4, 4}}}, y.data()), "adjacent");
  expect_mismatch(rms_norm(on, rows, y.data(), with_weight(one_axis(x))), "as many elements");
  expect_mismatch(rms_norm(on, rows, y.data(), with_weight(one_axis(wide))), "f64");
  expect_mismatch(rms_norm(on, rows, y.data(), with_weight({weight.data(), dtype::f32, {{4, 0}}})),
                  "copy it");
  expect_mismatch(rms_norm(on, rows, x.data() + 11), "overlaps");
  expect_mismatch(rms_norm(on, rows, y.data(), with_weight({y.data(), dtype::f32, {{4, 4}}})),
                  "the weight");
  expect_mismatch(rms_norm(on, rows, reinterpret_cast<std::byte*>(y.data()) + 1), "aligned");
}

// Rows in reverse, and one row for all.
TEST(normalize_layouts, rows_at_any_distance) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  float y[6], wanted[6];
  ASSERT_TRUE(rms_norm(executor::cpu{1}, {x.data() + 4, dtype::f32, {{3, -8}, {2, 4}}}, y));
  ASSERT_TRUE(rms_norm(executor::cpu{1}, {x.data(), dtype::f32, {{3, 8}, {2, 4}}}, wanted));
  for (int row = 0; row < 3; ++row) EXPECT_EQ(y[2 * row], wanted[2 * (2 - row)]);
  ASSERT_TRUE(rms_norm(executor::cpu{1}, {x.data(), dtype::f32, {{3, 0}, {2, 4}}}, y));
  for (int row = 0; row < 3; ++row) EXPECT_EQ(y[2 * row + 1], wanted[1]);
}

}  // namespace
}  // namespace onefold::test
