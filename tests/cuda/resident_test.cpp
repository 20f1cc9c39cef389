// SPDX-License-Identifier: Apache-2.0
// Answers that stay on the device, over a runtime that works when it is waited for: nobody waits,
// workspaces go from call to call and from stream to stream, captures hold what they can.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/many/many.hpp"
#include "cuda/workspace.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

constexpr int more_calls_than_there_are = 100;

/// Numbers in device memory, and room for answers behind them.
class numbers {
 public:
  explicit numbers(std::int64_t n) : n_(n), host_(std::size_t(n)) {
    for (std::int64_t i = 0; i < n; ++i) host_[std::size_t(i)] = double(i * 7919 % 10'007) - 3000;
    EXPECT_EQ(cudaMalloc(&memory_, std::size_t(n + 4) * sizeof(double)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory_, host_.data(), host_.size() * sizeof(double), cudaMemcpyDefault),
              cudaSuccess);
  }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() { cudaFree(memory_); }

  array_view view() const { return {memory_, dtype::f64, {{n_, 8}}}; }
  double* answers() const { return static_cast<double*>(memory_) + n_; }
  output_view answer(int i, dtype type = dtype::f64) const { return {answers() + i, type, {}}; }
  double wanted(op what) const { return try_reduce<double>(executor::cpu{}, what, host_).value(); }

 private:
  std::int64_t n_;
  std::vector<double> host_;
  void* memory_ = nullptr;
};

status sum_and_max(const numbers& of, const executor::cuda& on, const options& how = {}) {
  return reduce(on, {op::sum, op::max}, {of.view()}, {of.answer(0), of.answer(1)}, how);
}

void expect_answers(const numbers& of, void* stream = nullptr) {
  ASSERT_EQ(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), cudaSuccess);
  EXPECT_EQ(of.answers()[0], of.wanted(op::sum));
  EXPECT_EQ(of.answers()[1], of.wanted(op::max));
}

TEST(cuda_resident, nobody_waits_and_a_second_call_allocates_nothing) {
  const numbers of(1000);
  ASSERT_TRUE(sum_and_max(of, {}).ok());
  expect_answers(of);
  const int allocated = allocations(), waited = waits_so_far(), alive = things_alive();
  of.answers()[0] = of.answers()[1] = -1;
  for (int repeat = 0; repeat < 20; ++repeat) ASSERT_TRUE(sum_and_max(of, {}).ok());
  EXPECT_EQ(of.answers()[0], -1) << "not before somebody waits";
  EXPECT_EQ(allocations(), allocated);
  EXPECT_EQ(waits_so_far(), waited);
  EXPECT_EQ(things_alive(), alive);
  expect_answers(of);
}

TEST(cuda_resident, streams_have_workspaces_of_their_own_or_wait_for_one_another) {
  std::vector<cudaStream_t> streams(12);
  for (auto& each : streams)
    ASSERT_EQ(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking), cudaSuccess);
  std::vector<std::unique_ptr<numbers>> of;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    of.push_back(std::make_unique<numbers>(100 + std::int64_t(i)));
    ASSERT_TRUE(sum_and_max(*of[i], {.stream = streams[i]}).ok());
  }
  for (std::size_t i = streams.size(); i-- > 0;) expect_answers(*of[i], streams[i]);
  for (auto* const each : streams) cudaStreamDestroy(each);
}

TEST(cuda_resident, every_call_may_fail_once) {
  const numbers of(1000);
  int refused = 0;
  for (int call = 1; call < more_calls_than_there_are; ++call) {
    of.answers()[0] = of.answers()[1] = -1;
    fail_call(call);
    const auto done = sum_and_max(of, {});
    fail_call(0);
    if (!done.ok()) {
      ++refused;
      EXPECT_EQ(done.code(), status_code::out_of_memory) << call << done.message();
      EXPECT_NE(done.message().find("; "), std::string::npos) << "no remedy";
      ASSERT_TRUE(sum_and_max(of, {}).ok()) << call;
    }
    expect_answers(of);
  }
  EXPECT_GT(refused, 3);
  const int alive = things_alive();
  ASSERT_TRUE(sum_and_max(of, {}).ok());
  EXPECT_EQ(things_alive(), alive) << "what is kept does not grow";
}

// The fake device has 4 multiprocessors, for which parts of columns are others than for 132.
TEST(cuda_resident, columns_are_cut_for_the_device_that_they_are_on) {
  const numbers of(1 << 17);
  const array_view columns(of.view().data(), dtype::f64, {{1 << 13, 128}, {16, 8}});
  options how;
  how.over = {0};
  const output_view to(of.answers() - 16, dtype::f64, {{16, 8}});
  const auto size = workspace_size(executor::cuda{}, op::sum, {columns}, {to}, how);
  ASSERT_TRUE(size.ok()) << size.why().message();
  many_block block = {columns.data(), 1, 1 << 13, 16, nullptr, 4};
  const many_request asked = {op::sum, accuracy::exact, dtype::f64, dtype::f64};
  EXPECT_EQ(*size, cleared_bytes + many_workspace_bytes(asked, block));
  block.multiprocessors = 132;
  EXPECT_NE(*size, cleared_bytes + many_workspace_bytes(asked, block));
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
  how.over = {1};
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

// 600 rows of 5: so few columns are cut into parts.
TEST(cuda_resident, variances_of_columns_stay) {
  const std::int64_t rows = 600, n = 5 * rows;
  std::vector<float> host(std::size_t{n});
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
  how.over = {0}, how.correction = 1;
  std::vector<float> wanted(10);
  const op_list asked = {op::var, op::mean};
  ASSERT_TRUE(reduce(executor::cpu{1}, asked, {view(host.data())},
                     {answers(wanted.data(), 0), answers(wanted.data(), 1)}, how)
                  .ok());
  const int waited = waits_so_far();
  const auto done =
      reduce(executor::cuda{}, asked, {view(x)}, {answers(x + n, 0), answers(x + n, 1)}, how);
  EXPECT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(std::vector<float>(x + n, x + n + 10), wanted);
  cudaFree(x);
}

TEST(cuda_resident, a_capture_needs_a_callers_workspace) {
  const numbers of(1000);
  const auto size = workspace_size(executor::cuda{}, {op::sum, op::max}, {of.view()},
                                   {of.answer(0), of.answer(1)});
  ASSERT_TRUE(size.ok()) << size.why().message();
  void* buffer = nullptr;
  ASSERT_EQ(cudaMalloc(&buffer, *size), cudaSuccess);
  ASSERT_TRUE(workspace_init({}, buffer, *size).ok());
  options how;
  how.workspace = {buffer, *size};
  const int allocated = allocations(), waited = waits_so_far();
  capture(nullptr, true);
  const auto without = sum_and_max(of, {}), with = sum_and_max(of, {}, how);
  const auto overflows = reduce(executor::cuda{}, op::max, {of.view()}, of.answer(2, dtype::i32));
  const auto state = try_partial(executor::cuda{}, op::sum, of.view());
  capture(nullptr, false);
  EXPECT_EQ(without.code(), status_code::unsupported);
  EXPECT_NE(without.message().find("options::workspace"), std::string::npos);
  EXPECT_TRUE(with.ok()) << with.message();
  EXPECT_EQ(overflows.code(), status_code::unsupported);
  EXPECT_EQ(state.why().code(), status_code::unsupported);
  EXPECT_EQ(allocations(), allocated);
  EXPECT_EQ(waits_so_far(), waited);
  expect_answers(of);
  cudaFree(buffer);
}

TEST(cuda_resident, a_status_that_depends_on_the_data_goes_to_its_word_or_is_waited_for) {
  std::int64_t* x = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&x), 64), cudaSuccess);
  x[0] = x[1] = INT64_MAX;
  const array_view there(x, dtype::i64, {{2, 8}});
  const output_view answer(x + 2, dtype::i64, {});
  const int waited = waits_so_far();
  EXPECT_EQ(reduce(executor::cuda{}, op::sum, {there}, answer).code(), status_code::overflow);
  EXPECT_GT(waits_so_far(), waited);
  auto* const told = reinterpret_cast<std::int32_t*>(x + 3);
  options how;
  how.status_out = told, *told = -1;
  const int before = waits_so_far();
  EXPECT_TRUE(reduce(executor::cuda{}, op::sum, {there}, answer, how).ok());
  EXPECT_EQ(waits_so_far(), before);
  cudaStreamSynchronize(nullptr);
  EXPECT_EQ(*told, int(status_code::overflow));
  // By way of the host the word is told as well.
  *told = -1;
  how.initial = 1;
  EXPECT_EQ(reduce(executor::cuda{}, op::sum, {there}, answer, how).code(), status_code::overflow);
  EXPECT_EQ(*told, int(status_code::overflow));
  cudaFree(x);
}

// Not when they are asked for: what the stream held before may write it.
TEST(cuda_resident, a_count_is_read_when_the_elements_are) {
  const numbers of(1000);
  std::int64_t* count = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&count), 16), cudaSuccess);
  options how;
  how.count = count, how.status_out = reinterpret_cast<std::int32_t*>(count + 1);
  *count = 1000;
  ASSERT_TRUE(sum_and_max(of, {}, how).ok());
  *count = 1;
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(of.answers()[0], -3000);
  EXPECT_EQ(of.answers()[1], -3000);
  EXPECT_EQ(*how.status_out, 0);
  of.answers()[0] = of.answers()[1] = 7, *count = 0;
  ASSERT_TRUE(sum_and_max(of, {}, how).ok());
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(of.answers()[0], 0);
  EXPECT_EQ(of.answers()[1], 7) << "nothing to tell";
  EXPECT_EQ(*how.status_out, int(status_code::empty));
  cudaFree(count);
}

void expect_told(const status& why, status_code as, const char* what, const char* remedy) {
  EXPECT_EQ(why.code(), as) << why.message();
  EXPECT_NE(why.message().find(what), std::string::npos) << why.message();
  EXPECT_NE(why.message().find(remedy), std::string::npos) << why.message();
}

TEST(cuda_resident, what_takes_no_count_says_so_and_names_the_remedy) {
  const numbers of(1000);
  const auto* const count = reinterpret_cast<const std::int64_t*>(of.answers() + 2);
  const executor on = executor::cuda{};
  options how, fast, by_row;
  how.count = fast.count = by_row.count = count;
  fast.how = accuracy::fast, by_row.over = {1};
  double host = 0;
  const array_view rows(of.view().data(), dtype::f64, {{2, 4000}, {500, 8}});
  const output_view both(of.answers(), dtype::f64, {{2, 8}});
  const auto expect_refused = [](const status& why, const char* what) {
    expect_told(why, status_code::unsupported, what, "copy the number to the host");
  };
  expect_refused(reduce(on, op::sum, {of.view()}, of.answer(0), fast), "fast reductions");
  expect_refused(reduce(on, op::prod, {of.view()}, of.answer(0), how), "prod of f64");
  expect_refused(reduce(on, op::sum, {rows}, both, by_row), "several answers");
  expect_refused(reduce(on, op::sum, {of.view()}, output_view(host), how), "host memory");
  expect_refused(reduce(on, op::max, {of.view()}, of.answer(0), how), "options::status_out");
}

TEST(cuda_resident, rows_of_operators_that_select_stay) {
  const numbers of(1000);
  const array_view rows(of.view().data(), dtype::f64, {{2, 4000}, {500, 8}});
  const output_view largest(of.answers(), dtype::f64, {{2, 8}});
  const output_view places(of.answers() + 2, dtype::i64, {{2, 8}});
  std::vector<double> wanted(2);
  std::vector<std::int64_t> wanted_places(2);
  options how;
  how.over = {1}, how.first_index = 3;
  ASSERT_TRUE(reduce(executor::cuda{}, {op::max, op::argmax}, {rows}, {largest, places}, how).ok());
  ASSERT_TRUE(reduce(executor::cpu{}, {op::max, op::argmax}, {rows},
                     {output_view(wanted.data(), dtype::f64, {{2, 8}}),
                      output_view(wanted_places.data(), dtype::i64, {{2, 8}})},
                     how)
                  .ok());
  of.answers()[0] = -1;
  const int allocated = allocations(), waited = waits_so_far();
  for (int repeat = 0; repeat < 3; ++repeat)
    ASSERT_TRUE(
        reduce(executor::cuda{}, {op::max, op::argmax}, {rows}, {largest, places}, how).ok());
  EXPECT_EQ(of.answers()[0], -1) << "not before somebody waits";
  EXPECT_EQ(allocations(), allocated);
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(std::vector<double>(of.answers(), of.answers() + 2), wanted);
  EXPECT_EQ(std::memcmp(of.answers() + 2, wanted_places.data(), 16), 0);
  const auto size = workspace_size(executor::cuda{}, op::argmax, {rows}, {places}, how);
  ASSERT_TRUE(size.ok()) << size.why().message();
  EXPECT_GT(*size, cleared_bytes);
  void* buffer = nullptr;
  ASSERT_EQ(cudaMalloc(&buffer, *size), cudaSuccess);
  ASSERT_TRUE(workspace_init({}, buffer, *size).ok());
  options captured = how;
  captured.workspace = {buffer, *size};
  capture(nullptr, true);
  const auto with = reduce(executor::cuda{}, op::argmax, {rows}, places, captured);
  capture(nullptr, false);
  EXPECT_TRUE(with.ok()) << with.message();
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  cudaFree(buffer);
  // What a kernel finds among the elements is not told there.
  how.nan = nan_policy::error;
  ASSERT_TRUE(reduce(executor::cuda{}, op::max, {rows}, largest, how).ok());
  EXPECT_GT(waits_so_far(), waited);
}

TEST(cuda_resident, columns_of_operators_that_select_stay) {
  const numbers of(1010);
  double* const room = of.answers() - 10;  // behind 1000 elements
  const array_view columns(of.view().data(), dtype::f64, {{500, 16}, {2, 8}});
  const output_view ends(room, dtype::f64, {{2, 16}, {2, 8}});
  const output_view places(room + 4, dtype::i64, {{2, 8}});
  std::vector<double> wanted(4);
  std::vector<std::int64_t> wanted_places(2);
  options how;
  how.over = {0}, how.first_index = 3;
  const op_list asked = {op::minmax, op::argmin};
  ASSERT_TRUE(reduce(executor::cpu{}, asked, {columns},
                     {output_view(wanted.data(), dtype::f64, {{2, 16}, {2, 8}}),
                      output_view(wanted_places.data(), dtype::i64, {{2, 8}})},
                     how)
                  .ok());
  const int waited = waits_so_far();
  ASSERT_TRUE(reduce(executor::cuda{}, asked, {columns}, {ends, places}, how).ok());
  EXPECT_EQ(waits_so_far(), waited);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(std::vector<double>(room, room + 4), wanted);
  EXPECT_EQ(std::memcmp(room + 4, wanted_places.data(), 16), 0);
}

// Rows of 20 of 5 blocks of 10 rows: those of one place in its block are an answer.
TEST(cuda_resident, sums_over_the_first_and_the_last_axis_stay) {
  const numbers of(1010);
  double* const room = of.answers() - 10;  // behind 1000 elements
  const array_view x(of.view().data(), dtype::f64, {{5, 1600}, {10, 160}, {20, 8}});
  const output_view to(room, dtype::f64, {{10, 8}});
  std::vector<double> wanted(10);
  options how;
  how.over = {0, 2};
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
TEST(cuda_resident, fast_sums_of_any_floats_stay) {
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
    how.how = accuracy::fast;
    if (outer)
      how.over = {0, 2};
    else
      how.over = {1};
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

// A kernel that touches it would end the process' use of the device.
TEST(cuda_resident, places_on_the_host_are_refused_before_a_kernel_sees_them) {
  const numbers of(1000);
  std::int64_t count = 3;
  std::int32_t told = -1;
  alignas(256) static std::byte buffer[std::size_t(1) << 18];
  options counted, telling, working;
  counted.count = &count, telling.status_out = &told, working.workspace = {buffer, sizeof buffer};
  expect_told(sum_and_max(of, {}, telling), status_code::usage, "options::status_out",
              "give it device memory");
  expect_told(sum_and_max(of, {}, working), status_code::usage, "options::workspace",
              "give it device memory");
  expect_told(reduce(executor::cuda{}, op::sum, {of.view()}, of.answer(0), counted),
              status_code::usage, "options::count", "give it device memory");
}

TEST(cuda_resident, options_of_the_device_are_refused_elsewhere) {
  const double x[2] = {1, 2};
  double answer = 0;
  std::int64_t count = 1;
  options how;
  how.count = &count;
  const array_view there(x, dtype::f64, {{2, 8}});
  const output_view out(&answer, dtype::f64, {});
  EXPECT_EQ(reduce(executor::cpu{}, op::sum, {there}, out, how).code(), status_code::unsupported);
  EXPECT_EQ(reduce(executor::cuda{}, op::sum, {there}, out, how).code(), status_code::unsupported);
  EXPECT_EQ(try_partial(executor::cuda{}, op::sum, there, how).why().code(),
            status_code::unsupported);
  EXPECT_EQ(workspace_init({}, nullptr, 8).code(), status_code::usage);
  EXPECT_EQ(workspace_init({}, &answer, 8).code(), status_code::usage);
  EXPECT_EQ(workspace_size(executor::cuda{}, op::sum, {there}, {out}).why().code(),
            status_code::unsupported);
}

}  // namespace
}  // namespace onefold::cuda::test
