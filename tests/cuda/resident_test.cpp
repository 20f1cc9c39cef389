// SPDX-License-Identifier: Apache-2.0
// Answers that stay on the device, over a runtime that works when it is waited for: nobody waits,
// workspaces go from call to call and from stream to stream, captures hold what they can.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/resident_numbers.hpp"
#include "cuda/runtime/workspace.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

constexpr int more_calls_than_there_are = 100;
constexpr std::int64_t several_blocks = 20'000;  ///< elements that need a workspace

status sum_and_max(const numbers& numbers, const executor::cuda& on, const options& how = {}) {
  return reduce(on, {op::sum, op::max}, {numbers.view()}, {numbers.answer(0), numbers.answer(1)},
                how);
}

void expect_answers(const numbers& numbers, void* stream = nullptr) {
  ASSERT_EQ(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), cudaSuccess);
  EXPECT_EQ(numbers.answers()[0], numbers.wanted(op::sum));
  EXPECT_EQ(numbers.answers()[1], numbers.wanted(op::max));
}

TEST(cuda_resident, nobody_waits_and_a_second_call_allocates_nothing) {
  const numbers data(several_blocks);
  ASSERT_TRUE(sum_and_max(data, {}).ok());
  expect_answers(data);
  const int allocated = allocations(), waited = waits_so_far(), alive = things_alive();
  data.answers()[0] = data.answers()[1] = -1;
  for (int repeat = 0; repeat < 20; ++repeat) ASSERT_TRUE(sum_and_max(data, {}).ok());
  EXPECT_EQ(data.answers()[0], -1) << "not before somebody waits";
  EXPECT_EQ(allocations(), allocated);
  EXPECT_EQ(waits_so_far(), waited);
  EXPECT_EQ(things_alive(), alive);
  expect_answers(data);
}

TEST(cuda_resident, the_answer_of_a_small_array_needs_no_workspace) {
  for (const std::int64_t n : {1, 7, 1000}) {
    const numbers data(n);
    for (const op op : {op::sum, op::mean, op::norm1, op::norm2, op::sumsq, op::var, op::max,
                        op::argmin, op::count_nonzero, op::minmax}) {
      const dtype output = default_output(op, dtype::f64);
      const output_view to(data.answers(), output,
                           answers_of(op) > 1 ? axis_list{{2, 8}} : axis_list{});
      const int allocated = allocations();
      const auto size = workspace_size(executor::cuda{}, op, {data.view()}, {to});
      EXPECT_EQ(size.value(), 0u) << name(op);
      ASSERT_TRUE(reduce(executor::cuda{}, op, {data.view()}, to).ok()) << name(op);
      ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
      EXPECT_EQ(allocations(), allocated) << name(op);
      if (output == dtype::f64 && answers_of(op) == 1) {
        const auto wanted = try_reduce<double>(executor::cpu{}, op, data.host_view());
        if (wanted.ok()) EXPECT_EQ(data.answers()[0], *wanted) << name(op) << ", " << n;
      }
    }
  }
}

TEST(cuda_resident, streams_have_workspaces_of_their_own_or_wait_for_one_another) {
  std::vector<cudaStream_t> streams(12);
  for (auto& each : streams)
    ASSERT_EQ(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking), cudaSuccess);
  std::vector<std::unique_ptr<numbers>> data;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    data.push_back(std::make_unique<numbers>(several_blocks + std::int64_t(i)));
    ASSERT_TRUE(sum_and_max(*data[i], {.stream = streams[i]}).ok());
  }
  for (std::size_t i = streams.size(); i-- > 0;) expect_answers(*data[i], streams[i]);
  for (auto* const each : streams) cudaStreamDestroy(each);
}

// What others would take from it follows its work by an event.
TEST(cuda_resident, the_default_stream_keeps_its_workspaces_and_records_no_events) {
  const numbers first(several_blocks), second(several_blocks + 1);
  ASSERT_TRUE(sum_and_max(first, {}).ok());
  const int recorded = records_so_far(), allocated = allocations();
  ASSERT_TRUE(sum_and_max(second, {}).ok());
  EXPECT_EQ(records_so_far(), recorded);
  EXPECT_EQ(allocations(), allocated) << "the same workspace";
  std::vector<cudaStream_t> streams(12);
  for (auto& each : streams) {
    ASSERT_EQ(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking), cudaSuccess);
    const int before = records_so_far();
    ASSERT_TRUE(sum_and_max(first, {.stream = each}).ok());
    EXPECT_GT(records_so_far(), before);
    expect_answers(first, each);
    ASSERT_TRUE(sum_and_max(second, {}).ok());
  }
  expect_answers(second);
  for (auto* const each : streams) cudaStreamDestroy(each);
}

TEST(cuda_resident, every_call_may_fail_once) {
  const numbers data(several_blocks);
  int refused = 0;
  for (int call = 1; call < more_calls_than_there_are; ++call) {
    data.answers()[0] = data.answers()[1] = -1;
    fail_call(call);
    const auto done = sum_and_max(data, {});
    fail_call(0);
    if (!done.ok()) {
      ++refused;
      EXPECT_EQ(done.code(), status_code::out_of_memory) << call << done.message();
      EXPECT_NE(done.message().find("; "), std::string::npos) << "no remedy";
      ASSERT_TRUE(sum_and_max(data, {}).ok()) << call;
    }
    expect_answers(data);
  }
  EXPECT_GT(refused, 3);
  const int alive = things_alive();
  ASSERT_TRUE(sum_and_max(data, {}).ok());
  EXPECT_EQ(things_alive(), alive) << "what is kept does not grow";
}

TEST(cuda_resident, a_captured_call_has_the_graphs_or_the_callers_workspace) {
  const numbers data(several_blocks);
  const auto size = workspace_size(executor::cuda{}, {op::sum, op::max}, {data.view()},
                                   {data.answer(0), data.answer(1)});
  ASSERT_TRUE(size.ok()) << size.why().message();
  void* buffer = nullptr;
  ASSERT_EQ(cudaMalloc(&buffer, *size), cudaSuccess);
  ASSERT_TRUE(workspace_init({}, buffer, *size).ok());
  options how;
  how.workspace = {buffer, *size};
  const int alive = things_alive(), allocated = allocations(), waited = waits_so_far();
  capture(nullptr, true);
  const auto with = sum_and_max(data, {}, how);
  EXPECT_EQ(allocations(), allocated);
  const auto without = sum_and_max(data, {});
  EXPECT_EQ(allocations(), allocated + 1);
  const auto overflows =
      reduce(executor::cuda{}, op::max, {data.view()}, data.answer(2, dtype::i32));
  const auto state = try_partial(executor::cuda{}, op::sum, data.view());
  capture(nullptr, false);
  EXPECT_TRUE(without.ok()) << without.message();
  EXPECT_TRUE(with.ok()) << with.message();
  EXPECT_EQ(overflows.code(), status_code::unsupported);
  EXPECT_EQ(state.why().code(), status_code::unsupported);
  EXPECT_EQ(waits_so_far(), waited);
  expect_answers(data);
  EXPECT_EQ(things_alive(), alive) << "the graph's workspace is freed by the graph";
  cudaFree(buffer);
}

TEST(cuda_resident, a_captured_call_that_fails_keeps_no_memory) {
  const numbers data(several_blocks);
  const int alive = things_alive();
  int failed = 0;
  for (int call = 1; call < more_calls_than_there_are; ++call) {
    capture(nullptr, true);
    fail_call(call);
    failed += !sum_and_max(data, {}).ok();
    fail_call(0);
    capture(nullptr, false);
    cudaStreamSynchronize(nullptr);
    ASSERT_EQ(things_alive(), alive) << call;
  }
  EXPECT_GT(failed, 3);
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
  auto* const outcome = reinterpret_cast<std::int32_t*>(x + 3);
  options how;
  how.status_out = outcome, *outcome = -1;
  const int before = waits_so_far();
  EXPECT_TRUE(reduce(executor::cuda{}, op::sum, {there}, answer, how).ok());
  EXPECT_EQ(waits_so_far(), before);
  cudaStreamSynchronize(nullptr);
  EXPECT_EQ(*outcome, int(status_code::overflow));
  // By way of the host the word is told as well.
  *outcome = -1;
  how.initial = 1;
  EXPECT_EQ(reduce(executor::cuda{}, op::sum, {there}, answer, how).code(), status_code::overflow);
  EXPECT_EQ(*outcome, int(status_code::overflow));
  cudaFree(x);
}

// Not when they are asked for: what the stream held before may write it.
TEST(cuda_resident, a_count_is_read_when_the_elements_are) {
  const numbers data(several_blocks);
  std::int64_t* count = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&count), 16), cudaSuccess);
  options how;
  how.count = count, how.status_out = reinterpret_cast<std::int32_t*>(count + 1);
  *count = 1000;
  ASSERT_TRUE(sum_and_max(data, {}, how).ok());
  *count = 1;
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(data.answers()[0], -3000);
  EXPECT_EQ(data.answers()[1], -3000);
  EXPECT_EQ(*how.status_out, 0);
  data.answers()[0] = data.answers()[1] = 7, *count = 0;
  ASSERT_TRUE(sum_and_max(data, {}, how).ok());
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(data.answers()[0], 0);
  EXPECT_EQ(data.answers()[1], 7) << "nothing to tell";
  EXPECT_EQ(*how.status_out, int(status_code::empty));
  cudaFree(count);
}

TEST(cuda_resident, logsumexp_takes_a_count) {
  const numbers data(several_blocks);
  double wanted = 0;
  ASSERT_TRUE(reduce(executor::cpu{}, op::logsumexp,
                     {array_view(data.host_view().data(), dtype::f64, {{600, 8}})}, wanted)
                  .ok());
  std::int64_t* count = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&count), sizeof *count), cudaSuccess);
  *count = 600;
  options how;
  how.count = count;
  ASSERT_TRUE(reduce(executor::cuda{}, op::logsumexp, {data.view()}, data.answer(0), how).ok());
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(data.answers()[0], wanted);
  cudaFree(count);
}

void expect_refusal(const status& why, status_code as, const char* words, const char* remedy) {
  EXPECT_EQ(why.code(), as) << why.message();
  EXPECT_NE(why.message().find(words), std::string::npos) << why.message();
  EXPECT_NE(why.message().find(remedy), std::string::npos) << why.message();
}

TEST(cuda_resident, what_takes_no_count_says_so_and_names_the_remedy) {
  const numbers data(several_blocks);
  const auto* const count = reinterpret_cast<const std::int64_t*>(data.answers() + 2);
  const executor on = executor::cuda{};
  options how, by_row;
  how.count = by_row.count = count;
  by_row.axes = {1};
  double host = 0;
  const array_view rows(data.view().data(), dtype::f64, {{2, 4000}, {500, 8}});
  const output_view both(data.answers(), dtype::f64, {{2, 8}});
  const auto expect_refused = [](const status& why, const char* words) {
    expect_refusal(why, status_code::unsupported, words, "copy the number to the host");
  };
  expect_refused(reduce(on, op::prod, {data.view()}, data.answer(0), how), "prod of f64");
  expect_refused(reduce(on, op::sum, {rows}, both, by_row), "several answers");
  const array_view scattered(data.view().data(), dtype::f64, {{500, 16}});
  for (const op op : {op::sum, op::norminf, op::var, op::count_nonzero, op::norm1})
    expect_refused(reduce(on, op, {scattered}, data.answer(0), how), "scattered elements");
  expect_refused(reduce(on, op::sum, {data.view()}, output_view(host), how), "host memory");
  expect_refused(reduce(on, op::max, {data.view()}, data.answer(0), how), "options::status_out");
}

// The host rounds where the divisor is wide.
TEST(cuda_resident, corrections_that_are_no_integers_are_waited_for) {
  const numbers data(several_blocks);
  options how;
  double wanted = 0;
  for (const double correction : {1.5, 1e-300}) {
    how.correction = correction;
    ASSERT_TRUE(reduce(executor::cpu{}, op::var, {data.host_view()}, wanted, how).ok());
    const auto done = reduce(executor::cuda{}, op::var, {data.view()}, data.answer(0), how);
    ASSERT_TRUE(done.ok()) << done.message();
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    EXPECT_EQ(data.answers()[0], wanted);
  }
  capture(nullptr, true);
  const auto refused = reduce(executor::cuda{}, op::var, {data.view()}, data.answer(0), how);
  capture(nullptr, false);
  expect_refusal(refused, status_code::unsupported, "a correction that is no 64-bit integer",
                 "outside the capture");
}

// A kernel that touches it would end the process' use of the device.
TEST(cuda_resident, places_on_the_host_are_refused_before_a_kernel_sees_them) {
  const numbers data(several_blocks);
  std::int64_t count = 3;
  std::int32_t outcome = -1;
  alignas(256) static std::byte buffer[std::size_t(1) << 18];
  options counted, telling, working;
  counted.count = &count, telling.status_out = &outcome,
  working.workspace = {buffer, sizeof buffer};
  expect_refusal(sum_and_max(data, {}, telling), status_code::usage, "options::status_out",
                 "give it device memory");
  expect_refusal(sum_and_max(data, {}, working), status_code::usage, "options::workspace",
                 "give it device memory");
  expect_refusal(reduce(executor::cuda{}, op::sum, {data.view()}, data.answer(0), counted),
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
