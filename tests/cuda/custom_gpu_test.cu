// SPDX-License-Identifier: Apache-2.0
// A user's operator on a device: what the CPU makes of the same elements. Skipped where there is
// no device.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "cuda/custom_operators.hpp"
#include "onefold/cuda/custom.cuh"
#include "onefold/custom.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::source_of;

template <class R, class T>
R reduced_on_device(const std::vector<T>& x) {
  T* in = nullptr;
  R* answer = nullptr;
  void* workspace = nullptr;
  const std::size_t bytes = x.size() * sizeof(T);
  const std::size_t room = reduce_workspace_bytes<R, T>(std::int64_t(x.size()));
  EXPECT_EQ(cudaMalloc(&in, bytes + 1), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&answer, sizeof(R)), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&workspace, room), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(in, x.data(), bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemset(workspace, 0, room), cudaSuccess);
  R got[2];
  for (R& one : got) {
    EXPECT_EQ(reduce_with(R(), in, std::int64_t(x.size()), answer, workspace), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(&one, answer, sizeof(R), cudaMemcpyDefault), cudaSuccess);
  }
  EXPECT_TRUE(got[0] == got[1]) << "a second launch in the same workspace";
  cudaFree(in), cudaFree(answer), cudaFree(workspace);
  return got[0];
}

void expect_equal(std::int64_t n) {
  auto random = source_of(810, std::uint64_t(n));
  std::vector<std::uint32_t> x(static_cast<std::size_t>(n));
  for (auto& element : x) element = std::uint32_t(random());
  EXPECT_TRUE(reduced_on_device<affine>(x) == onefold::reduce_with(affine(), x)) << n;
  std::vector<std::uint8_t> days(static_cast<std::size_t>(n));
  for (auto& day : days) day = random.one_in(1000) ? 0 : 1;
  EXPECT_TRUE(reduced_on_device<longest_run>(days) == onefold::reduce_with(longest_run(), days))
      << n;
}

class on_gpu_custom : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
      GTEST_SKIP() << "there is no CUDA device";
  }
};

// So few that compute-sanitizer's racecheck comes to an end.
TEST_F(on_gpu_custom, operators_of_few_elements) {
  for (const std::int64_t n : {0, 1, 31, 4096, 4097}) expect_equal(n);
}

TEST_F(on_gpu_custom, operators_that_do_not_commute) {
  for (const std::int64_t n : {1'000'003, 30'000'001}) expect_equal(n);
}

}  // namespace
}  // namespace onefold::cuda::test
