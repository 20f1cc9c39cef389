// SPDX-License-Identifier: Apache-2.0
// Answers that stay on the device: the bits and the codes of the CPU's, by the engine's workspaces
// and by a caller's. Skipped where there is no device.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/device_test.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;

class resident_gpu : public with_device {};

array_view view_of(const void* data, dtype type, std::int64_t n) {
  return {data, type, {{n, std::int64_t(size_bytes(type))}}};
}

output_view answer_in(void* to, op op, dtype type) {
  axis_list axes;
  if (answers_of(op) > 1) axes.push_back({answers_of(op), std::int64_t(size_bytes(type))});
  return {to, type, axes};
}

status reduce_one(const executor& on, op operation, const array_view& x, void* to, dtype type,
                  const options& how) {
  const output_view out = answer_in(to, operation, type);
  return operation == op::dot ? reduce(on, operation, {x, x}, out, how)
                              : reduce(on, operation, {x}, out, how);
}

// With a word for the status nothing waits; the code is the CPU's, and so is an answer that is one.
// Of `capacity` elements, of which the count on the device says as many as is given.
void expect_answer(op op, dtype input, dtype output, std::int64_t capacity, random_source& random,
                   std::optional<std::int64_t> given = {}) {
  const auto host = random_elements(input, capacity, random);
  const device_bytes x(host), answer(16);
  const std::int32_t none = -1;
  device_bytes outcome(sizeof none), count(sizeof(std::int64_t));
  outcome.set(&none);
  const std::int64_t n = std::clamp<std::int64_t>(given.value_or(capacity), 0, capacity);
  options how;
  how.nan_policy = nan_policy(random.below(3)), how.correction = random.between(0, 1);
  how.first_index = random.between(0, 5);
  alignas(8) unsigned char wanted[16] = {};
  const auto cpu =
      reduce_one(executor::cpu{}, op, view_of(host.data(), input, n), wanted, output, how);
  how.status_out = outcome.as<std::int32_t>();
  if (given) count.set(&*given), how.count = count.as<std::int64_t>();
  const auto gpu = reduce_one(executor::cuda{}, op, view_of(x.data(), input, capacity),
                              answer.data(), output, how);
  const std::string where = std::string(name(op)) + " of " + std::to_string(n) + " " +
                            std::string(name(input)) + " to " + std::string(name(output));
  if (!gpu.ok()) {
    EXPECT_EQ(gpu.code(), cpu.code()) << where << ": " << gpu.message();
    return;
  }
  const auto bytes = answer.get();
  ASSERT_EQ(outcome.get<std::int32_t>()[0], int(cpu.code())) << where << ": " << cpu.message();
  const auto written = std::size_t(answers_of(op)) * size_bytes(output);
  if (cpu.ok()) {
    EXPECT_EQ(std::memcmp(bytes.data(), wanted, written), 0)
        << where << ", ONEFOLD_TEST_SEED=" << onefold::test::seed();
  }
}

TEST_F(resident_gpu, answers_are_those_of_the_cpu) {
  random_source random = source_of(400, 0);
  for (const dtype input : all_dtypes)
    for (const op op : all_ops) {
      if (op == op::prod) continue;
      const dtype outputs[] = {default_output(op, input), dtype::f64, dtype::f16, dtype::i64};
      for (const std::int64_t n : {1, 1000, 70'001})
        expect_answer(op, input, outputs[random.below(4)], n, random);
    }
}

TEST_F(resident_gpu, every_operator_takes_a_count_on_the_device) {
  random_source random = source_of(402, 0);
  for (const dtype input : all_dtypes)
    for (const op op : all_ops) {
      if (op == op::prod || op == op::logsumexp) continue;
      const dtype outputs[] = {default_output(op, input), dtype::f64};
      for (const std::int64_t given : {0, 1, 12'345, 70'001, 90'000, -3})
        expect_answer(op, input, outputs[random.below(2)], 70'001, random, given);
    }
}

struct sums_and_ends {
  double sum, mean, spread;
  std::int64_t least;
};

status reduce_several(const executor& on, const array_view& x, void* to, const options& how) {
  auto* const at = static_cast<unsigned char*>(to);
  const axis_list one;
  return reduce(on, {op::sum, op::mean, op::var, op::argmin}, {x},
                {output_view(at, dtype::f64, one), output_view(at + 8, dtype::f64, one),
                 output_view(at + 16, dtype::f64, one), output_view(at + 24, dtype::i64, one)},
                how);
}

TEST_F(resident_gpu, a_callers_workspace_serves_call_after_call) {
  random_source random = source_of(401, 0);
  std::vector<double> host(100'000);
  for (double& each : host) each = random.normal();
  device_bytes x(host.size() * sizeof(double)), answers(sizeof(sums_and_ends));
  x.set(host.data());
  const array_view there = view_of(x.data(), dtype::f64, std::int64_t(host.size()));
  sums_and_ends wanted{};
  ASSERT_TRUE(reduce_several(executor::cpu{}, host, &wanted, {}).ok());
  const axis_list one;
  auto* const at = answers.as<unsigned char>();
  const auto size = workspace_size(
      executor::cuda{}, {op::sum, op::mean, op::var, op::argmin}, {there},
      {output_view(at, dtype::f64, one), output_view(at + 8, dtype::f64, one),
       output_view(at + 16, dtype::f64, one), output_view(at + 24, dtype::i64, one)});
  ASSERT_TRUE(size.ok()) << size.why().message();
  const device_bytes buffer(*size);
  ASSERT_TRUE(workspace_init({}, buffer.data(), *size).ok());
  options how;
  how.workspace = {buffer.data(), *size};
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto done = reduce_several(executor::cuda{}, there, answers.data(), how);
    ASSERT_TRUE(done.ok()) << done.message();
    const auto got = answers.get<sums_and_ends>();
    EXPECT_EQ(std::memcmp(got.data(), &wanted, sizeof wanted), 0) << repeat;
  }
  how.workspace.bytes = *size - 1;
  EXPECT_EQ(reduce_several(executor::cuda{}, there, answers.data(), how).code(),
            status_code::usage);
}

// Two families, two launches: one count.
TEST_F(resident_gpu, several_operators_share_a_count) {
  random_source random = source_of(404, 0);
  std::vector<double> host(5000);
  for (double& each : host) each = random.normal();
  device_bytes x(host.size() * sizeof(double)), answers(sizeof(sums_and_ends)),
      outcome(sizeof(std::int32_t)), count(sizeof(std::int64_t));
  x.set(host.data());
  options how;
  how.count = count.as<std::int64_t>(), how.status_out = outcome.as<std::int32_t>();
  for (const std::int64_t given : {1234, 5000}) {
    count.set(&given);
    const std::vector<double> some(host.begin(), host.begin() + given);
    sums_and_ends wanted{};
    ASSERT_TRUE(reduce_several(executor::cpu{}, some, &wanted, {}).ok());
    const auto done =
        reduce_several(executor::cuda{}, view_of(x.data(), dtype::f64, 5000), answers.data(), how);
    ASSERT_TRUE(done.ok()) << done.message();
    const auto got = answers.get<sums_and_ends>();
    EXPECT_EQ(std::memcmp(got.data(), &wanted, sizeof wanted), 0) << given;
    EXPECT_EQ(outcome.get<std::int32_t>()[0], 0);
  }
}

/// What is enqueued on a stream between begin and end. Nothing may wait for a stream in between.
class recorded_work {
 public:
  recorded_work() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
  }
  recorded_work(const recorded_work&) = delete;
  recorded_work& operator=(const recorded_work&) = delete;
  ~recorded_work() {
    if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    cudaStreamDestroy(stream_);
  }

  cudaStream_t stream() const { return stream_; }
  /// False where there are no graphs.
  bool begin() {
    return cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
  }
  void end() {
    ASSERT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&ready_, graph_, 0), cudaSuccess);
  }
  void run() {
    ASSERT_EQ(cudaGraphLaunch(ready_, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t ready_ = nullptr;
};

TEST_F(resident_gpu, a_graph_reads_the_count_each_time) {
  std::vector<double> host(50'000);
  random_source random = source_of(405, 0);
  for (double& each : host) each = random.normal();
  const device_bytes x(host), answers(sizeof(sums_and_ends)), buffer(std::size_t(1) << 20);
  device_bytes outcome(sizeof(std::int32_t)), count(sizeof(std::int64_t));
  options how;
  how.count = count.as<std::int64_t>(), how.status_out = outcome.as<std::int32_t>();
  how.workspace = {buffer.data(), std::size_t(1) << 20};
  ASSERT_TRUE(workspace_init({}, buffer.data(), std::size_t(1) << 20).ok());
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  recorded_work graph;
  if (!graph.begin()) GTEST_SKIP() << "there are no graphs";
  const auto done = reduce_several(executor::cuda{.stream = graph.stream()},
                                   view_of(x.data(), dtype::f64, 50'000), answers.data(), how);
  ASSERT_TRUE(done.ok()) << done.message();
  graph.end();
  for (const std::int64_t given : {50'000, 3, 12'345, 50'001}) {
    count.set(&given);
    graph.run();
    const std::vector<double> some(host.begin(),
                                   host.begin() + std::min<std::int64_t>(given, 50'000));
    sums_and_ends wanted{};
    ASSERT_TRUE(reduce_several(executor::cpu{}, some, &wanted, {}).ok());
    const auto got = answers.get<sums_and_ends>();
    EXPECT_EQ(std::memcmp(got.data(), &wanted, sizeof wanted), 0) << given;
  }
}

// Lengths about those of a chunk and of the subtrees that a warp merges; each answer comes from a
// graph that is launched twice.
void expect_logarithms(dtype type, const std::vector<unsigned char>& host, std::size_t shift) {
  constexpr std::int64_t chunk = 65536, tree = 64 * chunk;
  const auto width = std::int64_t(size_bytes(type));
  const device_bytes x(host, shift);
  for (const std::int64_t n : {chunk - 1, chunk, chunk + 1, tree - chunk, tree - 1, tree, tree + 1,
                               2 * tree + 5 * chunk, std::int64_t(host.size()) / width}) {
    device_bytes answer(sizeof(double));
    double wanted = 0;
    ASSERT_TRUE(reduce_one(executor::cpu{}, op::logsumexp, view_of(host.data(), type, n), &wanted,
                           dtype::f64, {})
                    .ok());
    recorded_work graph;
    const bool recorded = graph.begin();
    auto* const stream = recorded ? graph.stream() : nullptr;
    const auto done = reduce_one(executor::cuda{.stream = stream}, op::logsumexp,
                                 view_of(x.data(), type, n), answer.data(), dtype::f64, {});
    ASSERT_TRUE(done.ok()) << done.message();
    if (recorded) graph.end();
    for (int run = 0; run < (recorded ? 2 : 1); ++run) {
      if (recorded) answer.set(&run), graph.run();
      EXPECT_EQ(answer.get<std::uint64_t>()[0], std::bit_cast<std::uint64_t>(wanted))
          << name(type) << ", n = " << n << ", " << shift << " bytes off, run " << run
          << ", ONEFOLD_TEST_SEED=" << onefold::test::seed();
    }
  }
}

TEST_F(resident_gpu, logarithms_have_the_bits_of_the_cpu_at_every_length) {
  constexpr std::int64_t most = 3 * 64 * 65536 + 7 * 65536 + 11;
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64, dtype::u8, dtype::i64})
    for (const bool shifted : {false, true}) {
      random_source random = source_of(406 + shifted, std::uint64_t(type));
      std::vector<unsigned char> host(std::size_t(most) * size_bytes(type));
      with_type(type, [&]<class T>(onefold::detail::tag<T>) {
        for (std::size_t i = 0; i < host.size(); i += sizeof(T)) {
          T one = T(random.below(100));
          if constexpr (!std::is_integral_v<T>)
            one = T(float(random.below(4000)) / 100 - (shifted ? 300 : 3));
          std::memcpy(&host[i], &one, sizeof one);
        }
      });
      expect_logarithms(type, host, shifted ? size_bytes(type) : 0);
    }
}

TEST_F(resident_gpu, several_operators_of_rows_stay_too) {
  random_source random = source_of(403, 0);
  std::vector<float> host(300 * 1000), sums(300), norms(300);
  for (float& each : host) each = float(random.normal());
  device_bytes x(host.size() * sizeof(float)), a(sums.size() * sizeof(float)),
      b(norms.size() * sizeof(float)), outcome(sizeof(std::int32_t));
  x.set(host.data());
  options how;
  how.axes = axis_set({1});
  const axis_list one = {{300, 4}};
  ASSERT_TRUE(reduce(executor::cpu{}, {op::sum, op::norm2}, {view<float>(host.data(), {300, 1000})},
                     {output_view(sums.data(), dtype::f32, one),
                      output_view(norms.data(), dtype::f32, one)},
                     how)
                  .ok());
  how.status_out = outcome.as<std::int32_t>();
  const auto done = reduce(
      executor::cuda{}, {op::sum, op::norm2}, {view<float>(x.as<const float>(), {300, 1000})},
      {output_view(a.data(), dtype::f32, one), output_view(b.data(), dtype::f32, one)}, how);
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(a.get<float>(), sums);
  EXPECT_EQ(b.get<float>(), norms);
  EXPECT_EQ(outcome.get<std::int32_t>()[0], 0);
}

class plain_resource final : public device_resource {
 public:
  void* allocate(std::size_t bytes, void*) noexcept override {
    void* made = nullptr;
    if (cudaMalloc(&made, bytes) == cudaSuccess) ++calls, live.insert(made);
    return made;
  }
  void deallocate(void* memory, std::size_t, void* stream) noexcept override {
    cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
    live.erase(memory);
    cudaFree(memory);
  }
  std::set<void*> live;
  int calls = 0;
};

TEST_F(resident_gpu, a_callers_resource_gives_windows_and_copies_too) {
  std::vector<float> host(5'000'000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i % 1009);
  plain_resource from;
  const executor on = executor::cuda{.memory = &from};
  const auto state = try_partial(on, op::sum, host);
  ASSERT_TRUE(state.ok()) << state.why().message();
  EXPECT_TRUE(*state == *try_partial(executor::cpu{}, op::sum, host));
  EXPECT_EQ(from.calls, 4) << "a workspace and a window, twice";
  std::vector<float> wanted(5), got(5);
  options how;
  how.axes = axis_set({1});
  const view<float> rows(host.data(), {5, 1'000'000});
  ASSERT_TRUE(reduce(executor::cpu{}, op::max, {rows},
                     output_view(wanted.data(), dtype::f32, {{5, 4}}), how)
                  .ok());
  const auto done = reduce(on, op::max, {rows}, output_view(got.data(), dtype::f32, {{5, 4}}), how);
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(from.calls, 6) << "words, and a copy of the rows";
  EXPECT_TRUE(from.live.empty());
}

// More elements than 32 bits count, where the device has room for them.
TEST_F(resident_gpu, counts_have_64_bits) {
  constexpr std::size_t n = std::size_t(1) << 33;
  std::size_t free = 0, all = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &all), cudaSuccess);
  if (free < n + (n >> 4)) GTEST_SKIP() << "2^33 bytes of device memory are not free";
  const device_bytes x(n), answer(32);
  ASSERT_EQ(cudaMemsetAsync(x.data(), 3, n, nullptr), cudaSuccess);
  auto* const bytes = x.as<unsigned char>();
  ASSERT_EQ(cudaMemsetAsync(bytes + n - 2, 200, 1, nullptr), cudaSuccess);
  const axis_list one;
  auto* const at = answer.as<unsigned char>();
  const auto done =
      reduce(executor::cuda{}, {op::sum, op::argmax, op::count_nonzero, op::bit_xor},
             {view_of(bytes, dtype::u8, std::int64_t(n))},
             {output_view(at, dtype::u64, one), output_view(at + 8, dtype::i64, one),
              output_view(at + 16, dtype::i64, one), output_view(at + 24, dtype::u8, one)});
  ASSERT_TRUE(done.ok()) << done.message();
  const auto got = answer.get<std::int64_t>();
  EXPECT_EQ(got[0], std::int64_t(3 * n + 197));
  EXPECT_EQ(got[1], std::int64_t(n - 2));
  EXPECT_EQ(got[2], std::int64_t(n));
  EXPECT_EQ(got[3] & 0xFF, 3 ^ 200);
}

}  // namespace
}  // namespace onefold::cuda::test
