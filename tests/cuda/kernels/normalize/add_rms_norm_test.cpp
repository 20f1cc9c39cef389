// SPDX-License-Identifier: Apache-2.0
// RMSNorm's kernels under the executor, of sums of two arrays: the bits of the CPU, in place too.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cuda/kernels/normalize/kernels.hpp"
#include "cuda/kernels/normalize/rows.hpp"
#include "onefold/normalize.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::source_of;

/// Contiguous rows on a device and on the CPU.
template <class T>
void expect_cpu(std::int64_t rows, std::int64_t n, const std::vector<T>& x,
                const std::vector<T>& addend, bool in_place, bool weighted, int offset,
                simt::schedule order) {
  simt::device gpu;
  const auto copied = [&](const std::vector<T>& from, const char* name) {
    std::vector<T> moved(std::size_t(offset), T{});
    moved.insert(moved.end(), from.begin(), from.end());
    return gpu.memory().copy(std::span<const T>(moved), name) + offset;
  };
  std::vector<T> sum(x.size()), y(x.size());
  std::vector<double> inverse(static_cast<std::size_t>(rows));
  T *const x_there = copied(x, "x"), *const addend_there = copied(addend, "addend");
  T* const sum_there = in_place ? addend_there : copied(sum, "sum");
  T* const y_there = in_place ? x_there : copied(y, "y");
  double* const inverse_there = gpu.memory().copy(std::span<const double>(inverse), "inverse");
  const std::vector<T> weight(x.begin(), x.begin() + n);
  rms_norm_rows request = {x_there,
                           y_there,
                           weighted ? copied(weight, "weight") : nullptr,
                           inverse_there,
                           rows,
                           n,
                           n,
                           1e-6,
                           dtype_of<T>,
                           false};
  request.addend = addend_there, request.addend_stride = n, request.sum = sum_there;
  launch_rms_norm(gpu, rms_norm_launch_of(request), order);
  for (const auto& finding : gpu.report()) ADD_FAILURE() << finding.text();
  constexpr auto item = std::int64_t(sizeof(T));
  const auto view = [&](const std::vector<T>& from) {
    return array_view(from.data(), dtype_of<T>, {{rows, n * item}, {n, item}});
  };
  rms_norm_options options = {.eps = 1e-6, .inverse = inverse.data()};
  if (weighted) options.weight = array_view(weight.data(), dtype_of<T>, {{n, item}});
  ASSERT_TRUE(add_rms_norm(executor::cpu{1}, view(x), view(addend), sum.data(), y.data(), options));
  EXPECT_EQ(std::memcmp(sum_there, sum.data(), sum.size() * sizeof(T)), 0);
  EXPECT_EQ(std::memcmp(y_there, y.data(), y.size() * sizeof(T)), 0);
  EXPECT_EQ(std::memcmp(inverse_there, inverse.data(), inverse.size() * 8), 0);
}

template <class T>
class cuda_add_rms_norm : public testing::Test {};
using element_types = testing::Types<f16, bf16, float, double>;
TYPED_TEST_SUITE(cuda_add_rms_norm, element_types);

TYPED_TEST(cuda_add_rms_norm, rows_of_every_family_and_length) {
  using T = TypeParam;
  std::uint64_t index = 0;
  for (const auto& family : onefold::test::families<T>())
    for (const std::int64_t n : {1, 24, 64, 333, 1024, 1040}) {
      random_source random = source_of(941, index++);
      SCOPED_TRACE(std::string(family.name) + (", rows of " + std::to_string(n) +
                                               ", ONEFOLD_TEST_SEED=" + std::to_string(seed())));
      const std::int64_t rows = n < 300 ? 37 : 3;
      std::vector<T> x(std::size_t(rows * n)), addend(x.size());
      family.fill(random, x.data(), x.size());
      if (random.one_in(2))
        family.fill(random, addend.data(), addend.size());
      else
        addend.assign(x.size(), onefold::test::make<T>(true, 0, 1));
      expect_cpu<T>(rows, n, x, addend, random.one_in(2), random.one_in(2),
                    random.one_in(3) ? 1 : 0,
                    random.one_in(2) ? simt::schedule::shuffled : simt::schedule::reverse);
    }
}

TYPED_TEST(cuda_add_rms_norm, rows_that_no_block_holds) {
  using T = TypeParam;
  random_source random = source_of(942, 0);
  const std::int64_t n = 2049 * 16 / std::int64_t(sizeof(T));
  const auto x = normal_like<T>(random, std::size_t(2 * n)),
             addend = normal_like<T>(random, x.size());
  for (const bool in_place : {false, true})
    expect_cpu<T>(2, n, x, addend, in_place, true, 0, simt::schedule::shuffled);
}

}  // namespace
}  // namespace onefold::cuda::test
