// SPDX-License-Identifier: Apache-2.0
// Operators whose identity is not zero: idle lanes must not change a product, nor the maximum of
// negative numbers.

#include "ladder/operators.cuh"
#include "simt/device.hpp"
#include "tests/ladder/operator_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace onefold::ladder::test {
namespace {

template <template <class> class Operator, class T>
T reduce(unsigned rung, const std::vector<T>& values, unsigned block) {
  simt::device gpu;
  const std::size_t covered = std::size_t{block} * items_per_lane[rung];
  const auto grid =
      static_cast<unsigned>(std::max<std::size_t>(1, (values.size() + covered - 1) / covered));
  const T* in = gpu.memory().copy(std::span<const T>(values), "in");
  T* partials = gpu.memory().allocate<T>(grid, "partials");
  operator_kernels<Operator, T>::rungs[rung](
      gpu, {.grid = {grid}, .block = {block}, .dynamic_shared_bytes = block * sizeof(T)}, in,
      values.size(), partials);
  for (const simt::finding& f : gpu.report()) ADD_FAILURE() << f.text();
  T total = Operator<T>::identity;
  for (unsigned b = 0; b < grid; ++b) total = Operator<T>::fold(total, partials[b]);
  return total;
}

template <template <class> class Operator, class T>
void expect_all(const std::vector<T>& values, T expected) {
  for (unsigned rung = 0; rung < rung_count; ++rung) {
    for (unsigned block = 1; block <= 256; block *= 4) {
      EXPECT_EQ((reduce<Operator, T>(rung, values, block)), expected) << rung << " " << block;
    }
  }
}

template <class T>
class every_type : public testing::Test {};
using types = testing::Types<int, float, double>;
TYPED_TEST_SUITE(every_type, types);

TYPED_TEST(every_type, the_maximum_of_negative_numbers_is_negative) {
  std::vector<TypeParam> values(77);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = TypeParam(-5 - int(i * 31 % 77));
  expect_all<maximum, TypeParam>(values, TypeParam(-5));
}

TYPED_TEST(every_type, the_minimum_of_positive_numbers_is_positive) {
  std::vector<TypeParam> values(77);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = TypeParam(5 + int(i * 31 % 77));
  expect_all<minimum, TypeParam>(values, TypeParam(5));
}

TYPED_TEST(every_type, a_product_is_not_annihilated_by_idle_lanes) {
  std::vector<TypeParam> values(77, TypeParam(1));
  values[3] = TypeParam(-3);
  values[70] = TypeParam(7);
  expect_all<product, TypeParam>(values, TypeParam(-21));
}

TYPED_TEST(every_type, of_nothing_gives_the_identity) {
  expect_all<product, TypeParam>({}, TypeParam(1));
  expect_all<sum, TypeParam>({}, TypeParam(0));
  expect_all<maximum, TypeParam>({}, maximum<TypeParam>::identity);
}

TEST(sum, of_negative_zeros_is_negative_zero) {
  for (unsigned rung = 0; rung < rung_count; ++rung) {
    const double zero = reduce<sum, double>(rung, std::vector<double>(77, -0.0), 64);
    EXPECT_TRUE(zero == 0 && std::signbit(zero)) << rung;
  }
}

// A maximum of two floats is a branch for a host compiler and none for the device.
TEST(maximum, of_shuffled_floats_adds_no_divergent_branch) {
  std::vector<float> values(1024);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 389 % 1024);
  simt::device gpu;
  const float* in = gpu.memory().copy(std::span<const float>(values), "in");
  float* partials = gpu.memory().allocate<float>(4, "partials");
  const simt::launch_config config{
      .grid = {4}, .block = {256}, .dynamic_shared_bytes = 256 * sizeof(float)};
  operator_kernels<sum, float>::rungs[2](gpu, config, in, values.size(), partials);
  const simt::counts with_sum = gpu.counts();
  operator_kernels<maximum, float>::rungs[2](gpu, config, in, values.size(), partials);
  EXPECT_EQ(gpu.counts(), with_sum);
}

}  // namespace
}  // namespace onefold::ladder::test
