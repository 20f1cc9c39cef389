// SPDX-License-Identifier: Apache-2.0
// The engine's host side over a runtime that does nothing before it is waited for: every call that
// can fail does so once, and leaves nothing behind. The tests of gpu_test.cpp run over it too.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuda/fake_runtime.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

constexpr int more_calls_than_there_are = 200;

void expect_recovery(op what, const array_view& x) {
  const auto wanted = try_partial(executor::cpu{}, what, x).value();
  int refused = 0;
  for (int call = 1; call < more_calls_than_there_are; ++call) {
    fail_call(call);
    const auto got = try_partial(executor::cuda{}, what, x);
    fail_call(0);
    if (got.ok()) {
      EXPECT_TRUE(*got == wanted) << call;
      continue;
    }
    ++refused;
    EXPECT_EQ(got.why().code(), status_code::out_of_memory) << call << got.why().message();
    EXPECT_NE(got.why().message().find("; "), std::string::npos) << "no remedy";
    const auto again = try_partial(executor::cuda{}, what, x);
    ASSERT_TRUE(again.ok()) << call << again.why().message();
    EXPECT_TRUE(*again == wanted) << call;
  }
  EXPECT_GT(refused, 5);
}

TEST(cuda_host, every_call_may_fail_once) {
  std::vector<double> x(3'500'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i * 7919 % 1'000'003);
  expect_recovery(op::argmax, x), expect_recovery(op::prod, x);
  const int alive = things_alive();
  expect_recovery(op::argmax, x), expect_recovery(op::prod, x);
  EXPECT_EQ(things_alive(), alive) << "what is kept does not grow";
}

TEST(cuda_host, a_second_call_allocates_nothing) {
  const std::vector<float> x(1000, 2.5F);
  void* there = nullptr;
  ASSERT_EQ(cudaMalloc(&there, x.size() * sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(there, x.data(), x.size() * sizeof(float), cudaMemcpyDefault), cudaSuccess);
  for (const void* data : {static_cast<const void*>(x.data()), static_cast<const void*>(there)}) {
    const array_view view(data, dtype::f32, {{1000, 4}});
    ASSERT_TRUE(try_partial(executor::cuda{}, op::max, view).ok());
    const int before = allocations();
    ASSERT_TRUE(try_partial(executor::cuda{}, op::max, view).ok());
    EXPECT_EQ(allocations(), before);
  }
  cudaFree(there);
}

}  // namespace
}  // namespace onefold::cuda::test
