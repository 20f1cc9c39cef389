// SPDX-License-Identifier: Apache-2.0
// What surrounds the sort of keys, under the executor: ordinals in the order of keys, elements and
// positions brought to their places. The sort is a library's; tests on a device see all together.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "onefold/dtype.hpp"
#include "simt/device.hpp"
#include "support/random.hpp"
#include "tests/cuda/kernels/keys/kernels.hpp"

namespace onefold::test {
namespace {

void expect_no_findings(simt::device& gpu) {
  for (const simt::finding& f : gpu.report())
    ADD_FAILURE() << "seed " << seed() << ": " << f.text();
}

template <class T>
class cuda_sorted_keys : public testing::Test {};
using key_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                 std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_sorted_keys, key_types);

TYPED_TEST(cuda_sorted_keys, have_ordinals_in_their_order_and_width) {
  using T = TypeParam;
  random_source random = source_of(1, sizeof(T));
  std::vector<T> keys = {std::numeric_limits<T>::lowest(), T(-1), T(0), T(1),
                         std::numeric_limits<T>::max()};
  for (int i = 0; i < 300; ++i) keys.push_back(T(random()));
  const auto n = std::int64_t(keys.size());
  simt::device gpu;
  auto* const ordinals = gpu.memory().allocate<std::uint64_t>(keys.size(), "ordinals");
  auto* const places = gpu.memory().allocate<std::uint32_t>(keys.size(), "places");
  run_ordinals(gpu,
               {gpu.memory().copy(std::span<const T>(keys), "keys"), n, cuda::kind_of(dtype_of<T>)},
               ordinals, places);
  expect_no_findings(gpu);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(places[i], i);
    if constexpr (sizeof(T) < 8) {
      EXPECT_EQ(ordinals[i] >> 8 * sizeof(T), 0u);
    }
    for (std::size_t j = 0; j < i; ++j)
      ASSERT_EQ(ordinals[j] < ordinals[i], keys[j] < keys[i]) << +keys[j] << ", " << +keys[i];
  }
}

TEST(cuda_sorted_booleans, are_one_bit) {
  const std::vector<std::uint8_t> keys = {0, 1, 2, 255, 0};
  simt::device gpu;
  auto* const ordinals = gpu.memory().allocate<std::uint64_t>(keys.size(), "ordinals");
  auto* const places = gpu.memory().allocate<std::uint32_t>(keys.size(), "places");
  run_ordinals(gpu,
               {gpu.memory().copy(std::span<const std::uint8_t>(keys), "keys"), 5,
                cuda::kind_of(dtype::boolean)},
               ordinals, places);
  EXPECT_EQ(std::vector<std::uint64_t>(ordinals, ordinals + 5),
            (std::vector<std::uint64_t>{0, 1, 1, 1, 0}));
}

TYPED_TEST(cuda_sorted_keys, bring_elements_of_their_width_along) {
  using T = TypeParam;
  random_source random = source_of(2, sizeof(T));
  std::vector<T> x(500);
  for (T& each : x) each = T(random());
  std::vector<std::uint32_t> places(x.size());
  std::iota(places.begin(), places.end(), 0u);
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random.below(i)]);
  simt::device gpu;
  auto* const to = gpu.memory().allocate<T>(x.size(), "to");
  run_gather(gpu, gpu.memory().copy(std::span<const T>(x), "x"), int(sizeof(T)),
             gpu.memory().copy(std::span<const std::uint32_t>(places), "places"),
             std::int64_t(x.size()), to);
  expect_no_findings(gpu);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(to[i], x[places[i]]);
}

TEST(cuda_sorted_positions, become_those_of_the_elements_before_sorting) {
  const std::vector<std::uint32_t> places = {7, 3, 0xFFFFFFFF, 0};
  const std::vector<std::int64_t> found = {2, 0, 3};
  simt::device gpu;
  auto* const at = gpu.memory().allocate<std::int64_t>(3, "positions");
  std::copy(found.begin(), found.end(), at);
  run_own_places(gpu, at, 3, gpu.memory().copy(std::span<const std::uint32_t>(places), "places"),
                 10);
  EXPECT_EQ(std::vector<std::int64_t>(at, at + 3),
            (std::vector<std::int64_t>{0xFFFFFFFFLL + 10, 17, 10}));
}

}  // namespace
}  // namespace onefold::test
