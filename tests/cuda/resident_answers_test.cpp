// SPDX-License-Identifier: Apache-2.0
// Several answers that stay on the device: which rows, columns and other shapes do, over a runtime
// that works when it is waited for.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/kernels/batched/batched.hpp"
#include "cuda/resident_numbers.hpp"
#include "cuda/runtime/workspace.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

// The fake device has 4 multiprocessors, for which parts of columns are others than for 132.
TEST(cuda_resident, columns_are_cut_for_the_device_that_they_are_on) {
  const numbers data(1 << 17);
  const array_view columns(data.view().data(), dtype::f64, {{1 << 13, 128}, {16, 8}});
  options how;
  how.axes = {0};
  const output_view to(data.answers() - 16, dtype::f64, {{16, 8}});
  const auto size = workspace_size(executor::cuda{}, op::sum, {columns}, {to}, how);
  ASSERT_TRUE(size.ok()) << size.why().message();
  batched_block block = {columns.data(), 1, 1 << 13, 16, nullptr, 4};
  block.places = contiguous_places(1, 1 << 13, 16);
  const batched_request request = {op::sum, accuracy::exact, dtype::f64, dtype::f64};
  EXPECT_EQ(*size, cleared_bytes + batched_workspace_bytes(request, block));
  block.multiprocessors = 132;
  EXPECT_NE(*size, cleared_bytes + batched_workspace_bytes(request, block));
}

// Of several answers what has no kernel of rows or columns goes to that of any plan.
TEST(cuda_resident, moments_and_logarithms_of_rows_stay_and_need_no_workspace) {
  const std::int64_t rows = 60, n = 100;
  std::vector<float> host(std::size_t(rows * n));
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i * 7919 % 1013) * 0.37f - 100;
  float* x = nullptr;
  const std::size_t bytes = host.size() * sizeof(float);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), bytes + 3 * 4 * rows), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(x, host.data(), bytes, cudaMemcpyDefault), cudaSuccess);
  const auto view = [&](const float* at) {
    return array_view(at, dtype::f32, {{rows, 4 * n}, {n, 4}});
  };
  const auto answers = [&](float* at, int i) {
    return output_view(at + i * rows, dtype::f32, {{rows, 4}});
  };
  options how;
  how.axes = {1};
  std::vector<float> wanted(std::size_t(3 * rows));
  float* const got = x + host.size();
  const op_list moments = {op::var, op::mean};
  ASSERT_TRUE(reduce(executor::cpu{1}, moments, {view(host.data())},
                     {answers(wanted.data(), 0), answers(wanted.data(), 1)}, how)
                  .ok());
  ASSERT_TRUE(
      reduce(executor::cpu{1}, op::logsumexp, {view(host.data())}, answers(wanted.data(), 2), how)
          .ok());
  const int waited = waits_so_far();
  capture(nullptr, true);
  const auto first =
      reduce(executor::cuda{}, moments, {view(x)}, {answers(got, 0), answers(got, 1)}, how);
  const auto second = reduce(executor::cuda{}, op::logsumexp, {view(x)}, answers(got, 2), how);
  capture(nullptr, false);
  EXPECT_TRUE(first.ok()) << first.message();
  EXPECT_TRUE(second.ok()) << second.message();
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(std::vector<float>(got, got + 3 * rows), wanted);
  const auto size =
      workspace_size(executor::cuda{}, moments, {view(x)}, {answers(got, 0), answers(got, 1)}, how);
  ASSERT_TRUE(size.ok()) << size.why().message();
  EXPECT_EQ(*size, 0u);
  cudaFree(x);
}

// Five columns, of so many rows, are cut into parts.
void check_columns(op operation, std::int64_t rows) {
  const std::int64_t n = 5 * rows;
  std::vector<float> host(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i * 7919 % 1013) * 0.37f - 100;
  float* x = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), (n + 10) * sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyDefault), cudaSuccess);
  const auto view = [&](const float* at) {
    return array_view(at, dtype::f32, {{rows, 20}, {5, 4}});
  };
  const auto answers = [&](float* at, int i) {
    return output_view(at + i * 5, dtype::f32, {{5, 4}});
  };
  options how;
  how.axes = {0}, how.correction = 1;
  std::vector<float> wanted(10);
  const op_list ops = {operation, op::mean};
  ASSERT_TRUE(reduce(executor::cpu{1}, ops, {view(host.data())},
                     {answers(wanted.data(), 0), answers(wanted.data(), 1)}, how)
                  .ok());
  const int waited = waits_so_far();
  const auto done =
      reduce(executor::cuda{}, ops, {view(x)}, {answers(x + n, 0), answers(x + n, 1)}, how);
  EXPECT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(std::vector<float>(x + n, x + n + 10), wanted);
  cudaFree(x);
}

TEST(cuda_resident, variances_of_columns_stay) {
  check_columns(op::var, 600);
  check_columns(op::var, 10'000);  // blocks share what is ambiguous
}

TEST(cuda_resident, logarithms_of_columns_stay) {
  check_columns(op::logsumexp, 9);
  check_columns(op::logsumexp, 140'000);  // three chunks
}

// What is asked for besides has launches of its own, which share the status.
void check_whole_logarithms(std::int64_t n, const op_list& ops) {
  const numbers data(n);
  const auto answers = std::size_t(ops.size());
  std::vector<double> wanted(answers), got(answers);
  std::vector<output_view> host, device;
  for (int i = 0; i < ops.size(); ++i)
    host.emplace_back(wanted[std::size_t(i)]), device.push_back(data.answer(i));
  options how;
  const auto by = [&](const executor& on, const array_view& x, const auto& outputs) {
    return ops.size() == 1 ? reduce(on, ops, {x}, {outputs[0]}, how)
                           : reduce(on, ops, {x}, {outputs[0], outputs[1]}, how);
  };
  ASSERT_TRUE(by(executor::cpu{1}, data.host_view(), host).ok());
  how.status_out = reinterpret_cast<std::int32_t*>(data.answers() + 3), *how.status_out = -1;
  const int waited = waits_so_far();
  capture(nullptr, true);
  const auto done = by(executor::cuda{}, data.view(), device);
  capture(nullptr, false);
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  std::copy_n(data.answers(), answers, got.begin());
  EXPECT_EQ(got, wanted) << n;
  EXPECT_EQ(*how.status_out, 0);
}

TEST(cuda_resident, logarithms_of_whole_arrays_stay) {
  for (const std::int64_t n : {1, 65'535, 65'536, 65'537, 200'000, 64 * 65'536 + 1}) {
    check_whole_logarithms(n, op::logsumexp);
    check_whole_logarithms(n, {op::logsumexp, op::max});
  }
}

TEST(cuda_resident, logarithms_of_nothing_and_of_nans_stay) {
  const numbers data(10);
  auto* const outcome = reinterpret_cast<std::int32_t*>(data.answers() + 3);
  options how;
  how.status_out = outcome;
  const array_view nothing(data.view().data(), dtype::f64, {{0, 8}});
  const array_view none(data.view().data(), dtype::f64, {{10, 8}});
  std::fill_n(data.answers() - 10, 10, std::numeric_limits<double>::quiet_NaN());
  const auto answer = [&](const array_view& x, nan_policy policy) {
    how.nan_policy = policy;
    data.answers()[0] = 7, *outcome = -1;
    const int waited = waits_so_far();
    EXPECT_TRUE(reduce(executor::cuda{}, op::logsumexp, {x}, data.answer(0), how).ok());
    EXPECT_EQ(waits_so_far(), waited);
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    return data.answers()[0];
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(answer(nothing, nan_policy::propagate), -infinity);
  EXPECT_EQ(*outcome, 0);
  EXPECT_EQ(answer(none, nan_policy::omit), -infinity);
  EXPECT_EQ(*outcome, 0);
  EXPECT_TRUE(std::isnan(answer(none, nan_policy::propagate)));
  EXPECT_EQ(*outcome, 0);
  EXPECT_EQ(answer(none, nan_policy::error), 7);
  EXPECT_EQ(*outcome, int(status_code::not_a_number));
}

// A state is no answer: the host merges, and others may follow.
TEST(cuda_resident, states_of_logarithms_are_the_hosts) {
  const numbers data(64 * 65'536 + 70'000);
  const auto state = try_partial(executor::cuda{}, op::logsumexp, data.view());
  ASSERT_TRUE(state.ok()) << state.why().message();
  EXPECT_TRUE(*state == *try_partial(executor::cpu{}, op::logsumexp, data.host_view()));
}

TEST(cuda_resident, rows_of_operators_that_select_stay) {
  const numbers data(1000);
  const array_view rows(data.view().data(), dtype::f64, {{2, 4000}, {500, 8}});
  const output_view largest(data.answers(), dtype::f64, {{2, 8}});
  const output_view places(data.answers() + 2, dtype::i64, {{2, 8}});
  std::vector<double> wanted(2);
  std::vector<std::int64_t> wanted_places(2);
  options how;
  how.axes = {1}, how.first_index = 3;
  ASSERT_TRUE(reduce(executor::cuda{}, {op::max, op::argmax}, {rows}, {largest, places}, how).ok());
  ASSERT_TRUE(reduce(executor::cpu{}, {op::max, op::argmax}, {rows},
                     {output_view(wanted.data(), dtype::f64, {{2, 8}}),
                      output_view(wanted_places.data(), dtype::i64, {{2, 8}})},
                     how)
                  .ok());
  data.answers()[0] = -1;
  const int allocated = allocations(), waited = waits_so_far();
  for (int repeat = 0; repeat < 3; ++repeat)
    ASSERT_TRUE(
        reduce(executor::cuda{}, {op::max, op::argmax}, {rows}, {largest, places}, how).ok());
  EXPECT_EQ(data.answers()[0], -1) << "not before somebody waits";
  EXPECT_EQ(allocations(), allocated);
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(std::vector<double>(data.answers(), data.answers() + 2), wanted);
  EXPECT_EQ(std::memcmp(data.answers() + 2, wanted_places.data(), 16), 0);
  const auto none = workspace_size(executor::cuda{}, op::argmax, {rows}, {places}, how);
  ASSERT_TRUE(none.ok()) << none.why().message();
  EXPECT_EQ(*none, 0u) << "tiles of rows need none";
  how.nan_policy = nan_policy::omit;  // as segments
  const auto size = workspace_size(executor::cuda{}, op::norminf, {rows}, {largest}, how);
  ASSERT_TRUE(size.ok()) << size.why().message();
  EXPECT_GT(*size, cleared_bytes);
  void* buffer = nullptr;
  ASSERT_EQ(cudaMalloc(&buffer, *size), cudaSuccess);
  ASSERT_TRUE(workspace_init({}, buffer, *size).ok());
  options captured = how;
  captured.workspace = {buffer, *size};
  capture(nullptr, true);
  const auto with = reduce(executor::cuda{}, op::norminf, {rows}, largest, captured);
  capture(nullptr, false);
  EXPECT_TRUE(with.ok()) << with.message();
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  cudaFree(buffer);
  // What a kernel finds among the elements is not told there.
  how.nan_policy = nan_policy::error;
  ASSERT_TRUE(reduce(executor::cuda{}, op::max, {rows}, largest, how).ok());
  EXPECT_GT(waits_so_far(), waited);
}

TEST(cuda_resident, columns_of_operators_that_select_stay) {
  const numbers data(1010);
  double* const room = data.answers() - 10;  // behind 1000 elements
  const array_view columns(data.view().data(), dtype::f64, {{500, 16}, {2, 8}});
  const output_view ends(room, dtype::f64, {{2, 16}, {2, 8}});
  const output_view places(room + 4, dtype::i64, {{2, 8}});
  std::vector<double> wanted(4);
  std::vector<std::int64_t> wanted_places(2);
  options how;
  how.axes = {0}, how.first_index = 3;
  const op_list ops = {op::minmax, op::argmin};
  ASSERT_TRUE(reduce(executor::cpu{}, ops, {columns},
                     {output_view(wanted.data(), dtype::f64, {{2, 16}, {2, 8}}),
                      output_view(wanted_places.data(), dtype::i64, {{2, 8}})},
                     how)
                  .ok());
  const int waited = waits_so_far();
  ASSERT_TRUE(reduce(executor::cuda{}, ops, {columns}, {ends, places}, how).ok());
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(std::vector<double>(room, room + 4), wanted);
  EXPECT_EQ(std::memcmp(room + 4, wanted_places.data(), 16), 0);
}

// Rows of 20 of 5 blocks of 10 rows: those of one place in its block are an answer.
TEST(cuda_resident, sums_over_the_first_and_the_last_axis_stay) {
  const numbers data(1010);
  double* const room = data.answers() - 10;  // behind 1000 elements
  const array_view x(data.view().data(), dtype::f64, {{5, 1600}, {10, 160}, {20, 8}});
  const output_view to(room, dtype::f64, {{10, 8}});
  std::vector<double> wanted(10);
  options how;
  how.axes = {0, 2};
  ASSERT_TRUE(
      reduce(executor::cpu{}, op::mean, {x}, output_view(wanted.data(), dtype::f64, {{10, 8}}), how)
          .ok());
  const int waited = waits_so_far();
  ASSERT_TRUE(reduce(executor::cuda{}, op::mean, {x}, to, how).ok());
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(std::vector<double>(room, room + 10), wanted);
}

// Three indices of 40, every second of 11 columns: no kernel of rows or columns has such ones.
TEST(cuda_resident, means_of_any_floats_stay) {
  const std::int64_t n = 3 * 40 * 22;
  std::vector<float> host(std::size_t{n});
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i * 7919 % 1013) * 0.37f - 100;
  float* x = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), (n + 3 * 40) * sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyDefault), cudaSuccess);
  const auto view = [&](const float* at) {
    return array_view(at, dtype::f32, {{3, 40 * 22 * 4}, {40, 22 * 4}, {11, 8}});
  };
  for (const bool outer : {true, false}) {
    options how;
    if (outer)
      how.axes = {0, 2};
    else
      how.axes = {1};
    const std::int64_t answers = outer ? 40 : 33;
    const auto to = [&](float* at) {
      return outer ? output_view(at, dtype::f32, {{40, 4}})
                   : output_view(at, dtype::f32, {{3, 44}, {11, 4}});
    };
    std::vector<float> wanted(static_cast<std::size_t>(answers));
    ASSERT_TRUE(
        reduce(executor::cpu{1}, op::mean, {view(host.data())}, to(wanted.data()), how).ok());
    const int waited = waits_so_far();
    ASSERT_TRUE(reduce(executor::cuda{}, op::mean, {view(x)}, to(x + n), how).ok());
    EXPECT_EQ(waits_so_far(), waited);
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    EXPECT_EQ(std::vector<float>(x + n, x + n + answers), wanted) << outer;
  }
  cudaFree(x);
}

TEST(cuda_resident, fast_variances_of_rows_stay) {
  constexpr std::int64_t rows = 37, n = 300;
  std::vector<double> host(std::size_t{rows * n});
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = double(i * 7919 % 1013) * 0.37 - 100;
  double* x = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), (rows * n + rows) * sizeof(double)),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpy(x, host.data(), rows * n * sizeof(double), cudaMemcpyDefault), cudaSuccess);
  for (const op op : {op::var, op::stddev}) {
    options how;
    how.axes = {1}, how.correction = 1;
    const auto view = [&](const double* at) {
      return array_view(at, dtype::f64, {{rows, n * 8}, {n, 8}});
    };
    std::vector<double> wanted(std::size_t{rows});
    const output_view to(wanted.data(), dtype::f64, {{rows, 8}});
    ASSERT_TRUE(reduce(executor::cpu{1}, op, {view(host.data())}, to, how).ok());
    how.accuracy = accuracy::fast;  // exact on a GPU
    const int waited = waits_so_far();
    const output_view there(x + rows * n, dtype::f64, {{rows, 8}});
    ASSERT_TRUE(reduce(executor::cuda{}, op, {view(x)}, there, how).ok());
    EXPECT_EQ(waits_so_far(), waited);
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    EXPECT_EQ(std::vector<double>(x + rows * n, x + rows * n + rows), wanted) << name(op);
  }
  cudaFree(x);
}

}  // namespace
}  // namespace onefold::cuda::test
