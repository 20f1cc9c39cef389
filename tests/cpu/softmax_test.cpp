// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax on a CPU: the bits of the definition on every SIMD target, for every
// family, length and distance of rows; within the bounds of docs/numerics/softmax.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "onefold/normalize.hpp"
#include "support/each_target.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/softmax_model.hpp"

namespace onefold::test {
namespace {

template <class T>
status call(const std::vector<T>& x, std::int64_t rows, std::int64_t n, std::int64_t stride,
            bool logarithm, int threads, T* y) {
  constexpr auto item = std::int64_t(sizeof(T));
  const array_view view(x.data(), dtype_of<T>, {{rows, stride * item}, {n, item}});
  return (logarithm ? log_softmax : softmax)(executor::cpu{threads}, view, y, {});
}

template <class T>
void expect_definition(const std::vector<T>& x, std::int64_t rows, std::int64_t n,
                       std::int64_t stride, int threads = 1) {
  for (const bool logarithm : {false, true}) {
    std::vector<T> wanted(std::size_t(rows * n) + 1, make<T>(true, 2, 5));
    for (std::int64_t row = 0; row < rows; ++row)
      softmax_row(x.data() + row * stride, n, logarithm, wanted.data() + row * n);
    on_each_target([&](const std::string& target) {
      std::vector<T> y(wanted.size(), make<T>(true, 2, 5));
      const status done = call(x, rows, n, stride, logarithm, threads, y.data());
      ASSERT_TRUE(done.ok()) << done.message();
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(as_bits(y[i]), as_bits(wanted[i]))
            << rows << " rows of " << n << " " << name(dtype_of<T>) << ", stride " << stride
            << ", element " << i << ", " << target << ", logarithm " << logarithm
            << ", ONEFOLD_TEST_SEED=" << seed();
    });
  }
}

template <class T>
std::vector<T> normal(random_source& random, std::size_t n, double scale, double mean = 0) {
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(chopped<T>(mean + scale * random.normal()));
  return x;
}

template <class T>
class cpu_softmax : public testing::Test {};
using narrow_types = testing::Types<f16, bf16, float>;
TYPED_TEST_SUITE(cpu_softmax, narrow_types);

TYPED_TEST(cpu_softmax, of_every_family_and_shape_is_the_definition) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 2, 7, 64, 333, 1500}) {
      random_source random = source_of(940, index++);
      SCOPED_TRACE(family.name);
      const std::int64_t rows = n < 1000 ? random.between(1, 5) : 1;
      const std::int64_t stride = n + std::int64_t(random.below(3));
      std::vector<T> x(std::size_t(rows * stride));
      family.fill(random, x.data(), x.size());
      expect_definition(x, rows, n, stride);
    }
}

// Moderate differences, where every exponential matters; the last ones are longer than a piece.
TYPED_TEST(cpu_softmax, of_usual_rows_is_the_definition) {
  std::uint64_t index = 0;
  for (const std::int64_t n : {5, 100, 4099, 70'001})
    for (const double scale : {0.01, 1.0, 12.0, 40.0}) {
      random_source random = source_of(941, index++);
      const double mean[] = {0, 100, -900};
      expect_definition(normal<TypeParam>(random, std::size_t(n), scale, mean[index % 3]), 1, n, n);
    }
}

TYPED_TEST(cpu_softmax, of_many_rows_by_several_threads_is_the_definition) {
  random_source random = source_of(942, 0);
  expect_definition(normal<TypeParam>(random, std::size_t(700) * 301, 3), 700, 300, 301, 4);
}

// Each finite element of 16 bits below some largest ones, alone with it.
template <class T>
void expect_every_element() {
  for (const double largest : {0.0, 1.5, -20.0, 1000.0}) {
    std::vector<T> x;
    for (unsigned bits = 0; bits < 0x10000; ++bits)
      if ((bits & ieee<T>::infinity) != ieee<T>::infinity)
        x.push_back(chopped<T>(largest)), x.push_back(T{std::uint16_t(bits)});
    expect_definition(x, std::int64_t(x.size() / 2), 2, 2);
  }
}
TEST(cpu_softmax_of_halves, is_the_definition_for_every_element) {
  expect_every_element<f16>();
  expect_every_element<bf16>();
}

TYPED_TEST(cpu_softmax, of_rows_that_are_not_finite_is_nan) {
  using T = TypeParam;
  using format = ieee<T>;
  const T nan = as_float<T>(bits_of<T>(format::nan)),
          other = as_float<T>(bits_of<T>(format::nan | format::sign | 1)),
          infinity = as_float<T>(format::infinity);
  random_source random = source_of(943, 0);
  for (const std::int64_t n : {3, 40}) {
    std::vector<T> x = normal<T>(random, std::size_t(6 * n), 2);
    const auto at = [&](std::int64_t row, std::int64_t i) -> T& {
      return x[std::size_t(row * n + i)];
    };
    at(0, 1) = nan, at(1, 2) = other, at(2, 0) = infinity, at(3, 1) = negated(infinity);
    for (std::int64_t i = 0; i < n; ++i)
      at(4, i) = negated(infinity), at(5, i) = as_float<T>(bits_of<T>(i % 2 ? format::sign : 0));
    expect_definition(x, 6, n, n);
    std::vector<T> y(x.size());
    ASSERT_TRUE(call(x, 6, n, n, false, 1, y.data()));
    EXPECT_EQ(as_bits(y[0]), format::nan);
    EXPECT_EQ(as_bits(y[std::size_t(3 * n + 1)]), 0u);
    EXPECT_EQ(as_bits(y[std::size_t(4 * n)]), format::nan);
  }
}

// ulps of y.
template <class T>
double worst_error(const std::vector<T>& x, bool logarithm) {
  const auto n = std::int64_t(x.size());
  std::vector<T> y(x.size());
  EXPECT_TRUE(call(x, 1, n, n, logarithm, 1, y.data()));
  std::vector<long double> values;
  for (const T one : x) values.push_back(step_value(one));
  const auto most = std::max_element(values.begin(), values.end());
  long double others = 0;  // the sum less the largest term, which is 1
  for (auto one = values.begin(); one != values.end(); ++one)
    if (one != most) others += std::exp(*one - *most);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double d = values[i] - *most;
    const long double exact = logarithm ? d - std::log1p(others) : std::exp(d) / (1 + others);
    const int field =
        std::max(exact == 0 ? -1000 : std::ilogb(exact), ieee<T>::lsb + ieee<T>::fraction_bits);
    const long double ulp = std::ldexp(1.0L, field - ieee<T>::fraction_bits);
    const long double error = std::fabs((long double)(step_value(y[i])) - exact);
    worst = std::max(worst, double(error / ulp));
  }
  return worst;
}

// docs/numerics/softmax.md, Theorem 3.
template <class T>
constexpr double extra = std::is_same_v<T, float> ? 0x1.3bp-5
                         : std::is_same_v<T, f16> ? 0x1p-11
                                                  : 0x1p-14;

TYPED_TEST(cpu_softmax, is_within_the_bound) {
  double worst[2] = {};
  for (std::int64_t k = 0; k < 300; ++k) {
    random_source random = source_of(944, std::uint64_t(k));
    const double scales[] = {0.1, 1, 5, 25, 60}, means[] = {0, 0, 300, -3};
    const auto x = normal<TypeParam>(random, 1 + std::size_t(random.below(k % 30 ? 300 : 20000)),
                                     scales[k % 5], means[k % 4]);
    for (const bool logarithm : {false, true}) {
      const double error = worst_error(x, logarithm);
      EXPECT_LE(error, 0.5 + extra<TypeParam>)
          << "ONEFOLD_TEST_SEED=" << seed() << ", " << k << ", logarithm " << logarithm;
      worst[logarithm] = std::max(worst[logarithm], error);
    }
  }
  std::printf("  largest error: 0.5 + %.6f and 0.5 + %.6f ulp\n", worst[0] - 0.5, worst[1] - 0.5);
}

// One element has nearly all of the sum: its logarithm is as precise as any other.
TYPED_TEST(cpu_softmax, is_within_the_bound_near_zero) {
  for (std::int64_t k = 0; k < 200; ++k) {
    random_source random = source_of(945, std::uint64_t(k));
    auto x = normal<TypeParam>(random, 1 + random.below(100), 0.5);
    x[random.below(x.size())] = chopped<TypeParam>(1 + 35 * random.unit());
    EXPECT_LE(worst_error(x, true), 0.5 + extra<TypeParam>)
        << "ONEFOLD_TEST_SEED=" << seed() << ", " << k;
  }
}

// Elements at the edges of bands and of what is read as masked, of every size.
TYPED_TEST(cpu_softmax, of_several_bands_is_the_definition) {
  using T = TypeParam;
  const T lowest = negated(as_float<T>(ieee<T>::infinity));
  for (std::uint64_t k = 0; k < 150; ++k) {
    random_source random = source_of(946, k);
    const double tops[] = {0, 256, 768, -512, 5000, -30000, 6e4, 1e30, 3e38};
    const double top = tops[random.below(9)];
    const double steps[] = {0, 0, 0.5, 20, 255, 256, 257, 512, 767, 768, 769, 1024, 1e9};
    std::vector<T> x;
    for (std::uint64_t n = 1 + random.below(40); n > 0; --n) {
      const double apart = steps[random.below(13)] + (random.one_in(2) ? random.unit() : 0);
      x.push_back(random.one_in(9) ? lowest : chopped<T>(top - apart));
    }
    if (random.one_in(3)) std::fill(x.begin(), x.begin() + std::int64_t(x.size()) / 2, x.back());
    expect_definition(x, 1, std::int64_t(x.size()), std::int64_t(x.size()));
  }
}

// Masks before, between and after the elements that count: -Inf, and what models use instead.
TYPED_TEST(cpu_softmax, of_masked_rows_is_the_definition) {
  using T = TypeParam;
  for (std::uint64_t k = 0; k < 24; ++k) {
    random_source random = source_of(947, k);
    auto x = normal<T>(random, 100 + random.below(5000), 3);
    const T mask = random.one_in(2) ? negated(as_float<T>(ieee<T>::infinity)) : chopped<T>(-6e4);
    const std::uint64_t from = random.below(x.size()), to = from + random.below(x.size() - from);
    for (std::uint64_t i = 0; i < x.size(); ++i)
      if (k % 3 == 0 ? i < from : k % 3 == 1 ? i > from : i >= from && i < to) x[i] = mask;
    if (k % 5 == 0) x[0] = mask;
    expect_definition(x, 1, std::int64_t(x.size()), std::int64_t(x.size()));
  }
}

// A row as long as a vocabulary, and one whose exponentials are computed twice.
TYPED_TEST(cpu_softmax, of_long_rows_is_the_definition) {
  random_source random = source_of(948, 0);
  for (const std::int64_t n : {128'256, 270'001}) {
    auto x = normal<TypeParam>(random, std::size_t(n), 2);
    if (n > 200'000) x[177'777] = chopped<TypeParam>(30);  // near zero
    expect_definition(x, 1, n, n);
  }
}

// The same elements in another order have the same results.
TYPED_TEST(cpu_softmax, does_not_depend_on_the_order) {
  using T = TypeParam;
  for (std::uint64_t k = 0; k < 20; ++k) {
    random_source random = source_of(949, k);
    const auto x = normal<T>(random, 1 + random.below(3000), k % 2 ? 2 : 150);
    std::vector<std::size_t> order(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) order[i] = i;
    for (std::size_t i = x.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    std::vector<T> other;
    for (const std::size_t i : order) other.push_back(x[i]);
    const auto n = std::int64_t(x.size());
    for (const bool logarithm : {false, true}) {
      std::vector<T> y(x.size()), z(x.size());
      ASSERT_TRUE(call(x, 1, n, n, logarithm, 1, y.data()));
      ASSERT_TRUE(call(other, 1, n, n, logarithm, 1, z.data()));
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(as_bits(z[i]), as_bits(y[order[i]])) << "ONEFOLD_TEST_SEED=" << seed();
    }
  }
}

TEST(cpu_softmax_refusals, are_named) {
  std::vector<float> x(12), y(12);
  const std::vector<double> wide(12);
  const executor on = executor::cpu{1};
  const array_view rows(x.data(), dtype::f32, {{3, 16}, {4, 4}});
  const auto expect = [](const status& why, status_code code, const char* part) {
    EXPECT_EQ(why.code(), code);
    EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
  };
  const auto mismatch = status_code::mismatch;
  expect(softmax(on, view<float>(x.data(), {12}), y.data()), mismatch, "softmax takes rows");
  expect(log_softmax(on, {x.data(), dtype::i32, {{3, 16}, {4, 4}}}, y.data()), mismatch,
         "log_softmax takes floating");
  expect(softmax(on, rows, x.data() + 11), mismatch, "overlaps");
  expect(softmax(on, {x.data(), dtype::f32, {{4, 4}, {3, 16}}}, y.data()), mismatch, "adjacent");
  expect(softmax(on, {wide.data(), dtype::f64, {{3, 32}, {4, 8}}}, y.data()),
         status_code::unsupported, "f64");
  EXPECT_TRUE(softmax(on, {nullptr, dtype::f32, {{0, 16}, {4, 4}}}, nullptr));
  EXPECT_TRUE(softmax(on, {x.data(), dtype::f32, {{3, 0}, {0, 4}}}, y.data()));
}

}  // namespace
}  // namespace onefold::test
