// SPDX-License-Identifier: Apache-2.0
// add_rms_norm on the CPU: the correctly rounded sum of two arrays, and the bits of rms_norm of
// that; in place too.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "onefold/exact.hpp"
#include "onefold/normalize.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::test {
namespace {

template <class T>
array_view rows_of(const std::vector<T>& x, std::int64_t rows, std::int64_t n,
                   std::int64_t stride) {
  constexpr auto item = std::int64_t(sizeof(T));
  return {x.data(), dtype_of<T>, {{rows, stride * item}, {n, item}}};
}

template <class T>
class add_normalize : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(add_normalize, element_types);

TYPED_TEST(add_normalize, is_rms_norm_of_the_rounded_sum) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : families<T>())
    for (const std::int64_t n : {1, 7, 64, 1000}) {
      random_source random = source_of(940, index++);
      SCOPED_TRACE(std::string(family.name) + (", ONEFOLD_TEST_SEED=" + std::to_string(seed())));
      const std::int64_t rows = 5, gap = std::int64_t(random.below(3)),
                         other_gap = std::int64_t(random.below(3));
      std::vector<T> x(std::size_t(rows * (n + gap))),
          residual(std::size_t(rows * (n + other_gap)));
      family.fill(random, x.data(), x.size());
      family.fill(random, residual.data(), residual.size());
      if (random.one_in(2)) residual[0] = negated(x[0]);
      std::vector<T> sum(std::size_t(rows * n)), y(sum.size()), wanted_sum(sum), wanted(sum);
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t i = 0; i < n; ++i) {
          exact_sum<T> both;
          both.add(x[std::size_t(row * (n + gap) + i)]);
          both.add(residual[std::size_t(row * (n + other_gap) + i)]);
          wanted_sum[std::size_t(row * n + i)] = both.value();
        }
      double inverse[5], wanted_inverse[5];
      const array_view weight = {x.data(), dtype_of<T>, {{n, std::int64_t(sizeof(T))}}};
      rms_norm_options options = {.eps = 1e-5, .inverse = wanted_inverse};
      if (random.one_in(2)) options.weight = weight;
      ASSERT_TRUE(
          rms_norm(executor::cpu{1}, rows_of(wanted_sum, rows, n, n), wanted.data(), options));
      options.inverse = inverse;
      const executor on = executor::cpu{1 + int(random.below(3))};
      ASSERT_TRUE(add_rms_norm(on, rows_of(x, rows, n, n + gap),
                               rows_of(residual, rows, n, n + other_gap), sum.data(), y.data(),
                               options));
      EXPECT_EQ(std::memcmp(sum.data(), wanted_sum.data(), sum.size() * sizeof(T)), 0);
      EXPECT_EQ(std::memcmp(y.data(), wanted.data(), y.size() * sizeof(T)), 0);
      EXPECT_EQ(std::memcmp(inverse, wanted_inverse, sizeof inverse), 0);
      if (gap != 0 || other_gap != 0 || options.weight) continue;
      ASSERT_TRUE(add_rms_norm(on, rows_of(x, rows, n, n), rows_of(residual, rows, n, n),
                               residual.data(), x.data(), options));
      EXPECT_EQ(std::memcmp(residual.data(), wanted_sum.data(), sum.size() * sizeof(T)), 0);
      EXPECT_EQ(std::memcmp(x.data(), wanted.data(), y.size() * sizeof(T)), 0);
    }
}

void expect_mismatch(const status& why, const char* part) {
  EXPECT_EQ(why.code(), status_code::mismatch);
  EXPECT_NE(why.message().find(part), std::string::npos) << why.message();
}

TEST(add_normalize_refusals, shapes_types_and_overlap_are_named) {
  std::vector<float> x(20), residual(20), sum(20), y(20), weight(4);
  const executor on = executor::cpu{1};
  const array_view rows = rows_of(x, 3, 4, 4), other = rows_of(residual, 3, 4, 4);
  const auto call = [&](const array_view& a, const array_view& b, void* to_sum, void* to,
                        const rms_norm_options& options = {}) {
    return add_rms_norm(on, a, b, to_sum, to, options);
  };
  expect_mismatch(call(rows, rows_of(residual, 4, 3, 3), sum.data(), y.data()), "shapes");
  expect_mismatch(call(rows, {residual.data(), dtype::f16, {{3, 8}, {4, 2}}}, sum.data(), y.data()),
                  "types");
  expect_mismatch(call(rows, other, y.data(), y.data()), "overlaps");
  expect_mismatch(call(rows, other, x.data(), y.data()), "overlaps");
  expect_mismatch(call(rows, other, residual.data() + 4, y.data()), "overlaps");
  expect_mismatch(call(rows, other, sum.data(), residual.data()), "overlaps");
  expect_mismatch(call(rows, other, sum.data(), x.data() + 1), "overlaps");
  // Rows with gaps are no place for contiguous ones.
  expect_mismatch(call(rows_of(x, 3, 4, 5), other, sum.data(), x.data()), "overlaps");
  rms_norm_options options;
  options.weight = array_view(weight.data(), dtype::f32, {{4, 4}});
  expect_mismatch(call(rows, other, weight.data(), y.data(), options), "the weight");
  options.inverse = reinterpret_cast<double*>(sum.data());
  expect_mismatch(call(rows, other, sum.data(), y.data(), options), "overlaps");
}

}  // namespace
}  // namespace onefold::test
