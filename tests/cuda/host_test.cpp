// SPDX-License-Identifier: Apache-2.0
// The engine's host side over a runtime that does nothing before it is waited for: every call that
// can fail does so once, and leaves nothing behind. The tests of gpu_test.cpp run over it too.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "onefold/keys.hpp"
#include "onefold/normalize.hpp"
#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"

namespace onefold::cuda::test {
namespace {

void expect_recovery(op op, const array_view& x) {
  const auto wanted = try_partial(executor::cpu{}, op, x).value();
  int refused = 0;
  bool failed = true;
  for (int call = 1; failed; ++call) {
    fail_call(call);
    const auto got = try_partial(executor::cuda{}, op, x);
    failed = has_failed();
    fail_call(0);
    if (got.ok()) {
      EXPECT_TRUE(*got == wanted) << call;
      continue;
    }
    ++refused;
    EXPECT_EQ(got.why().code(), status_code::out_of_memory) << call << got.why().message();
    EXPECT_NE(got.why().message().find("; "), std::string::npos) << "no remedy";
    const auto again = try_partial(executor::cuda{}, op, x);
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

// Two families of masked data of the host: copies of two views, and more than one batch.
status reduce_rows(const executor& on, const std::vector<float>& x, std::vector<float>& sums) {
  const view<float> matrix(x.data(), {std::int64_t(sums.size()), 3});
  const std::uint8_t mask[] = {1, 0, 1};
  options how;
  how.axes = axis_set({1});
  how.where = array_view(mask, 3);
  std::vector<std::int64_t> counts(sums.size());
  return reduce(on, {op::sum, op::count}, {matrix},
                {output_view(sums.data(), dtype::f32, {{std::int64_t(sums.size()), 4}}),
                 output_view(counts.data(), dtype::i64, {{std::int64_t(sums.size()), 8}})},
                how);
}

TEST(cuda_host, every_call_for_several_answers_may_fail_once) {
  std::vector<float> x(90'000), wanted(30'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i % 1009);
  ASSERT_TRUE(reduce_rows(executor::cpu{}, x, wanted).ok());
  int refused = 0;
  bool failed = true;
  for (int call = 1; failed; ++call) {
    std::vector<float> sums(wanted.size());
    fail_call(call);
    const auto got = reduce_rows(executor::cuda{}, x, sums);
    failed = has_failed();
    fail_call(0);
    if (!got.ok()) {
      ++refused;
      EXPECT_EQ(got.code(), status_code::out_of_memory) << call << got.message();
      EXPECT_NE(got.message().find("; "), std::string::npos) << "no remedy";
      ASSERT_TRUE(reduce_rows(executor::cuda{}, x, sums).ok()) << call;
    }
    ASSERT_EQ(sums, wanted) << call;
  }
  EXPECT_GT(refused, 10);
  const int alive = things_alive();
  std::vector<float> sums(wanted.size());
  ASSERT_TRUE(reduce_rows(executor::cuda{}, x, sums).ok());
  EXPECT_EQ(things_alive(), alive) << "what is kept does not grow";
}

// A device as fast as can be has filled the next batch before the host looks at this one.
TEST(cuda_host, batches_do_not_run_into_each_other) {
  std::vector<float> x(300'000), wanted(100'000), sums(wanted.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i);
  ASSERT_TRUE(reduce_rows(executor::cpu{}, x, wanted).ok());
  for (const bool eager : {true, false}) {
    be_eager(eager);
    const auto done = reduce_rows(executor::cuda{}, x, sums);
    be_eager(false);
    ASSERT_TRUE(done.ok()) << done.message();
    EXPECT_EQ(sums, wanted) << eager;
  }
}

// Device memory with the bytes of a vector.
template <class T>
T* on_device(const std::vector<T>& from) {
  void* there = nullptr;
  EXPECT_EQ(cudaMalloc(&there, from.size() * sizeof(T)), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(there, from.data(), from.size() * sizeof(T), cudaMemcpyDefault),
            cudaSuccess);
  return static_cast<T*>(there);
}

// Sums of segments of two, whose offsets are the host's; by keys that say the same; and by such
// that fall, whose groups come in the other order.
TEST(cuda_host, every_call_for_segments_and_keys_may_fail_once) {
  constexpr std::int64_t n = 1000, count = n / 2;
  std::vector<float> x(n), wanted(count), sums(count);
  std::vector<std::int64_t> offsets = {0}, keys;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i), keys.push_back(std::int64_t(i / 2));
  for (std::size_t k = 0; k < wanted.size(); ++k)
    wanted[k] = x[2 * k] + x[2 * k + 1], offsets.push_back(std::int64_t(2 * k + 2));
  float *const there = on_device(x), *const out = on_device(sums);
  std::int64_t *const rising = on_device(keys), *const left = on_device(keys);
  std::int64_t* const falling = on_device(std::vector(keys.rbegin(), keys.rend()));
  const array_view values(there, dtype::f32, {{n, 4}});
  const output_view to(out, dtype::f32, {{count, 4}});
  const auto run = [&](const std::int64_t* by) {
    if (by == nullptr) return reduce_segments(executor::cuda{}, op::sum, values, offsets, to);
    return reduce_by_key(executor::cuda{}, op::sum, array_view(by, dtype::i64, {{n, 8}}), values,
                         [&](std::int64_t) {
                           return group_outputs{left, to};
                         });
  };
  for (const std::int64_t* by : {static_cast<std::int64_t*>(nullptr), rising, falling}) {
    if (by == falling) std::reverse(wanted.begin(), wanted.end());
    int refused = 0;
    bool failed = true;
    for (int call = 1; failed; ++call) {
      fail_call(call);
      const auto got = run(by);
      failed = has_failed();
      fail_call(0);
      if (!got.ok()) {
        ++refused;
        EXPECT_EQ(got.code(), status_code::out_of_memory) << call << got.message();
        const auto again = run(by);
        ASSERT_TRUE(again.ok()) << call << again.message();
      }
      ASSERT_EQ(cudaMemcpy(sums.data(), out, count * 4, cudaMemcpyDefault), cudaSuccess);
      ASSERT_EQ(sums, wanted) << call;
      std::fill(out, out + count, 0.0F);
    }
    EXPECT_GT(refused, 5);
  }
  for (void* each : {static_cast<void*>(there), static_cast<void*>(out), static_cast<void*>(rising),
                     static_cast<void*>(falling), static_cast<void*>(left)})
    cudaFree(each);
}

// More states of whole rows than are sent to a device at a time.
TEST(cuda_host, every_call_for_parts_of_rows_may_fail_once) {
  constexpr std::int64_t rows = 33'000, n = 3, part = 2;
  std::vector<float> x(rows * n), wanted(rows * part), y(wanted.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i % 1009) / 16;
  std::vector<state> whole(rows, state(op::logsumexp, dtype::f32));
  options by_rows;
  by_rows.axes = axis(1);
  const auto keep = [&](std::int64_t row, const state& state) { whole[std::size_t(row)] = state; };
  ASSERT_TRUE(
      partials(executor::cpu{}, op::logsumexp, {view<float>(x.data(), {rows, n})}, keep, by_rows));
  float *const there = on_device(x), *const out = on_device(y);
  const auto run = [&](const executor& on, const float* from, float* to) {
    const array_view parts(from + 1, dtype::f32, {{rows, n * 4}, {part, 4}});
    return log_softmax_part(on, parts, to, whole);
  };
  ASSERT_TRUE(run(executor::cpu{}, x.data(), wanted.data()));
  int refused = 0;
  bool failed = true;
  for (int call = 1; failed; ++call) {
    fail_call(call);
    const auto got = run(executor::cuda{}, there, out);
    failed = has_failed();
    fail_call(0);
    if (!got.ok()) {
      ++refused;
      EXPECT_EQ(got.code(), status_code::out_of_memory) << call << got.message();
      ASSERT_TRUE(run(executor::cuda{}, there, out)) << call;
    }
    ASSERT_EQ(cudaMemcpy(y.data(), out, y.size() * 4, cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(y, wanted) << call;
    std::fill(out, out + y.size(), 0.0F);
  }
  EXPECT_GT(refused, 4);
  capture(nullptr, true);
  const auto captured = run(executor::cuda{}, there, out);
  capture(nullptr, false);
  EXPECT_EQ(captured.code(), status_code::unsupported);
  EXPECT_NE(captured.message().find("outside the capture"), std::string::npos);
  cudaFree(there), cudaFree(out);
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
