// SPDX-License-Identifier: Apache-2.0
// The CUDA engine on a device: of data in host and in device memory it gives the CPU's states and
// answers. Skipped where there is no device.
#include <cstring>
#include <string>
#include <vector>

#include "cuda/device_test.hpp"
#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/kernels/whole/whole.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "onefold/onefold.hpp"
#include "request/request.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;

constexpr std::int64_t sizes[] = {0, 1, 1000, 1'000'007};
constexpr std::int64_t more_than_two_windows = 3 * (std::int64_t(8) << 20) + 5;

class on_gpu : public with_device {};

array_view view_of(const void* data, dtype type, std::int64_t n) {
  return {data, type, {{n, std::int64_t(size_bytes(type))}}};
}

bool serves(op op, dtype type) {
  const accumulator kind = accumulator_of(op);
  const auto family = kind > accumulator::bits ? kernel_family::ordered : kernel_family::full;
  return has_kernel(family, kind, accuracy::exact, type);
}

void expect_equal_states(op op, const array_view& host, const void* other, const executor& on,
                         const std::string& where) {
  options how;
  how.first_index = 12345;
  const array_view there(other, host.type(), host.axes());
  const auto wanted = try_partial(executor::cpu{}, op, host, how);
  const auto got = try_partial(on, op, there, how);
  ASSERT_EQ(got.ok(), wanted.ok()) << where << ": " << got.why().message();
  if (wanted.ok()) {
    EXPECT_TRUE(*got == *wanted) << where;
  }
}

void expect_equal_answers(op op, const std::vector<array_view>& host,
                          const std::vector<array_view>& there, const executor& on,
                          const std::string& where) {
  for (const dtype output : {host[0].type(), dtype::f64, dtype::i64}) {
    for (const nan_policy nan : {nan_policy::propagate, nan_policy::omit, nan_policy::error}) {
      alignas(8) unsigned char wanted[16] = {}, got[16] = {};
      axis_list axes;
      if (answers_of(op) > 1) axes.push_back({answers_of(op), std::int64_t(size_bytes(output))});
      options how;
      how.nan_policy = nan;
      const auto run = [&](const executor& where_to, const std::vector<array_view>& x, void* to) {
        const output_view place(to, output, axes);
        return x.size() == 2 ? reduce(where_to, op, {x[0], x[1]}, place, how)
                             : reduce(where_to, op, {x[0]}, place, how);
      };
      const status cpu = run(executor::cpu{}, host, wanted), gpu = run(on, there, got);
      EXPECT_EQ(cpu.code(), gpu.code()) << where << ": " << gpu.message();
      if (cpu.ok()) {
        EXPECT_EQ(std::memcmp(wanted, got, sizeof got), 0) << where;
      }
    }
  }
}

std::string text_of(op op, dtype type, std::int64_t n, const char* memory) {
  return std::string(name(op)) + " of " + std::to_string(n) + " " + std::string(name(type)) +
         " in " + memory + " memory";
}

void expect_equal(dtype type, std::int64_t n, std::uint64_t index) {
  random_source random = source_of(100 + std::uint64_t(type), index);
  const auto x = random_elements(type, n, random), y = random_elements(type, n, random);
  const std::size_t offset = size_bytes(type) * random.below(16 / size_bytes(type));
  const device_bytes dx(x, offset), dy(y, 0);
  const array_view host_x = view_of(x.data(), type, n), host_y = view_of(y.data(), type, n);
  const array_view gpu_x = view_of(dx.data(), type, n), gpu_y = view_of(dy.data(), type, n);
  for (const op op : all_ops) {
    if (!serves(op, type)) continue;
    const executor on = executor::cuda{};
    if (inputs_of(op) == 2) {
      expect_equal_answers(op, {host_x, host_y}, {gpu_x, gpu_y}, on,
                           text_of(op, type, n, "device"));
      expect_equal_answers(op, {host_x, host_y}, {host_x, host_y}, on,
                           text_of(op, type, n, "host"));
      continue;
    }
    expect_equal_states(op, host_x, dx.data(), on, text_of(op, type, n, "device"));
    expect_equal_states(op, host_x, x.data(), on, text_of(op, type, n, "host"));
    if (n > 1000) continue;
    expect_equal_answers(op, {host_x}, {gpu_x}, on, text_of(op, type, n, "device"));
    expect_equal_answers(op, {host_x}, {host_x}, on, text_of(op, type, n, "host"));
  }
}

TEST_F(on_gpu, states_and_answers_are_those_of_the_cpu) {
  for (const dtype type : all_dtypes)
    for (const std::int64_t n : sizes) expect_equal(type, n, std::uint64_t(n));
}

constexpr op fast_operators[] = {op::sum, op::mean, op::norm1,  op::sumsq, op::norm2,
                                 op::dot, op::var,  op::stddev, op::prod,  op::logsumexp};

void expect_equal_fast(dtype type, std::int64_t n, std::size_t offset) {
  random_source random = source_of(300 + std::uint64_t(type), std::uint64_t(n));
  const auto x = random_elements(type, n, random), y = random_elements(type, n, random);
  const device_bytes dx(x, offset * size_bytes(type)), dy(y, 0);
  options how;
  how.accuracy = accuracy::fast;
  for (const op op : fast_operators) {
    const bool two = inputs_of(op) == 2;
    const auto run = [&](const executor& on, const void* first, const void* second, double& to) {
      const array_view a = view_of(first, type, n), b = view_of(second, type, n);
      return two ? reduce(on, op, {a, b}, output_view(to), how)
                 : reduce(on, op, {a}, output_view(to), how);
    };
    double wanted = 1, device = 2, host = 3;
    how.accuracy = accuracy_on_device(op, type, accuracy::fast);
    const status cpu = run(executor::cpu{}, x.data(), y.data(), wanted);
    how.accuracy = accuracy::fast;
    const status gpu = run(executor::cuda{}, dx.data(), dy.data(), device);
    EXPECT_EQ(run(executor::cuda{}, x.data(), y.data(), host).code(), cpu.code());
    const std::string where = text_of(op, type, n, "any") + ", fast";
    EXPECT_EQ(gpu.code(), cpu.code()) << where << ": " << gpu.message();
    if (!cpu.ok()) continue;
    EXPECT_EQ(std::memcmp(&wanted, &device, sizeof wanted), 0) << where;
    EXPECT_EQ(std::memcmp(&wanted, &host, sizeof wanted), 0) << where;
  }
}

TEST_F(on_gpu, fast_answers_are_exact_or_wrap) {
  for (const dtype type : all_dtypes)
    for (const std::int64_t n : {0, 1, 1000, 65536, 65537, 1'000'007})
      expect_equal_fast(type, n, std::size_t(n) % 3);
  // 8 MiB are a window, of two arrays half of it.
  expect_equal_fast(dtype::f32, more_than_two_windows / 4 + 65536, 1);
  expect_equal_fast(dtype::i8, more_than_two_windows, 0);
}

TEST_F(on_gpu, windows_of_ordered_reductions_go_on_where_the_last_one_ended) {
  random_source random = source_of(204, 0);
  const std::int64_t n = 11 * window_items + 1234;
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& each : x) each = float(1 + random.normal() / 64);
  const op_list ops = {op::sum, op::var, op::prod, op::logsumexp};
  options how;
  how.accuracy = accuracy::fast;
  windows cpu(executor::cpu{}, ops, dtype::f32), gpu(executor::cuda{}, ops, dtype::f32, how);
  const device_bytes all(x, 4);
  for (std::int64_t first = 0; first < n;) {
    const std::int64_t items = std::min(n - first, window_items * random.between(1, 5));
    ASSERT_TRUE(cpu.add(view_of(x.data() + first, dtype::f32, items)).ok());
    const bool host = random.one_in(2);
    const void* from = host ? static_cast<const void*>(x.data() + first) : all.data() + 4 * first;
    const status done = gpu.add(view_of(from, dtype::f32, items));
    ASSERT_TRUE(done.ok()) << done.message();
    first += items;
  }
  for (const op each : ops) {
    double wanted = 1, got = 2;
    ASSERT_TRUE(cpu.write(each, output_view(wanted)).ok());
    ASSERT_TRUE(gpu.write(each, output_view(got)).ok());
    EXPECT_EQ(wanted, got) << name(each);
  }
}

// Sums of chunks in the CPU's order, and exact ones on a GPU.
TEST_F(on_gpu, fast_windows_go_on_where_they_began) {
  const std::vector<float> x(std::size_t{window_items}, 1.5F);
  const device_bytes there(x);
  const array_view host = view_of(x.data(), dtype::f32, window_items);
  const array_view device = view_of(there.data(), dtype::f32, window_items);
  options how;
  how.accuracy = accuracy::fast;
  windows first(executor{}, op::sum, dtype::f32, how), second(executor{}, op::sum, dtype::f32, how);
  ASSERT_TRUE(first.add(host).ok());
  const status refused = first.add(device);
  EXPECT_EQ(refused.code(), status_code::unsupported);
  EXPECT_NE(refused.message().find("in host memory"), std::string::npos) << refused.message();
  EXPECT_EQ(first.count(), window_items);
  ASSERT_TRUE(second.add(device).ok());
  ASSERT_TRUE(second.add(host).ok());
  double sum = 0;
  ASSERT_TRUE(second.write(output_view(sum)).ok());
  EXPECT_EQ(sum, 3.0 * double(window_items));
}

TEST_F(on_gpu, many_windows_of_host_memory) {
  for (const dtype type : {dtype::u8, dtype::f32}) {
    random_source random = source_of(200, std::uint64_t(type));
    const auto x = random_elements(type, more_than_two_windows, random);
    const array_view host = view_of(x.data(), type, more_than_two_windows);
    for (const op op : all_ops)
      if (serves(op, type) && inputs_of(op) == 1)
        expect_equal_states(op, host, x.data(), executor::cuda{},
                            text_of(op, type, more_than_two_windows, "host"));
  }
}

TEST_F(on_gpu, pinned_and_managed_memory) {
  random_source random = source_of(201, 0);
  const auto x = random_elements(dtype::f64, 1'000'007, random);
  const array_view host = view_of(x.data(), dtype::f64, 1'000'007);
  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, x.size(), cudaHostAllocDefault), cudaSuccess);
  std::memcpy(pinned, x.data(), x.size());
  const device_bytes managed(x, 0, true);
  for (const op op : {op::argmin, op::count_nonzero}) {
    expect_equal_states(op, host, pinned, executor::cuda{}, "pinned memory");
    expect_equal_states(op, host, managed.data(), executor::cuda{}, "managed memory");
  }
  cudaFreeHost(pinned);
}

TEST_F(on_gpu, a_stream_of_the_callers_is_followed) {
  random_source random = source_of(202, 0);
  const auto x = random_elements(dtype::i32, 1'000'007, random);
  const device_bytes from(x, 0), to(std::vector<unsigned char>(x.size()), 0);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(cudaMemsetAsync(to.data(), 0, x.size(), stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(to.data(), from.data(), x.size(), cudaMemcpyDefault, stream),
              cudaSuccess);
    expect_equal_states(op::minmax, view_of(x.data(), dtype::i32, 1'000'007), to.data(),
                        executor::cuda{stream}, "behind a copy");
  }
  cudaStreamDestroy(stream);
}

TEST_F(on_gpu, several_operators_and_answers_on_the_device) {
  random_source random = source_of(203, 0);
  const auto x = random_elements(dtype::f32, 1000, random);
  const device_bytes dx(x, 4), answers(std::vector<unsigned char>(64), 0);
  const op_list ops = {op::min, op::argmax, op::count_nonzero};
  float low = 0;
  std::int64_t place = 0, nonzeros = 0;
  ASSERT_TRUE(
      reduce(executor::cpu{}, ops, {view_of(x.data(), dtype::f32, 1000)}, {low, place, nonzeros})
          .ok());
  const auto done =
      reduce(executor::cuda{}, ops, {view_of(dx.data(), dtype::f32, 1000)},
             {output_view(answers.data(), dtype::f32), output_view(answers.data() + 8, dtype::i64),
              output_view(answers.data() + 16, dtype::i64)});
  ASSERT_TRUE(done.ok()) << done.message();
  unsigned char got[24];
  ASSERT_EQ(cudaMemcpy(got, answers.data(), sizeof got, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(std::memcmp(got, &low, sizeof low), 0);
  EXPECT_EQ(std::memcmp(got + 8, &place, sizeof place), 0);
  EXPECT_EQ(std::memcmp(got + 16, &nonzeros, sizeof nonzeros), 0);
}

// Moments that stand in for sums, positions, counts, and trees of chunks, side by side.
TEST_F(on_gpu, families_of_every_kind_in_one_request) {
  random_source random = source_of(205, 0);
  const op_list ops = {op::prod, op::sum, op::var, op::max, op::logsumexp, op::stddev, op::count};
  for (const accuracy how_exact : {accuracy::exact, accuracy::fast})
    for (const dtype type : {dtype::f32, dtype::i8, dtype::f64}) {
      const auto x = random_elements(type, 200'000, random);
      const device_bytes dx(x, 8);
      double wanted[7] = {}, host[7] = {1}, device[7] = {2};
      options how;
      how.accuracy = how_exact;
      const auto run = [&](const executor& on, const void* data, double(&to)[7]) {
        return reduce(on, ops, {view_of(data, type, 200'000)},
                      {to[0], to[1], to[2], to[3], to[4], to[5], to[6]}, how)
            .code();
      };
      how.accuracy = accuracy_on_device(ops, type, how_exact);
      const status_code code = run(executor::cpu{}, x.data(), wanted);
      how.accuracy = how_exact;
      EXPECT_EQ(run(executor::cuda{}, x.data(), host), code);
      EXPECT_EQ(run(executor::cuda{}, dx.data(), device), code);
      if (code != status_code::ok) continue;
      EXPECT_EQ(std::memcmp(wanted, host, sizeof wanted), 0) << name(type);
      EXPECT_EQ(std::memcmp(wanted, device, sizeof wanted), 0) << name(type);
    }
}

TEST_F(on_gpu, statistics_are_those_of_the_cpu) {
  random_source random = source_of(206, 0);
  std::vector<float> x(300'001);
  for (float& each : x) each = float(random.normal());
  const auto wanted = try_stats(executor::cpu{}, x), got = try_stats(executor::cuda{}, x);
  ASSERT_TRUE(wanted.ok() && got.ok()) << got.why().message();
  EXPECT_EQ(got->count, wanted->count);
  EXPECT_EQ(got->mean, wanted->mean);
  EXPECT_EQ(got->std_dev, wanted->std_dev);
  EXPECT_EQ(got->norm2, wanted->norm2);
  EXPECT_EQ(got->argmax, wanted->argmax);
}

TEST_F(on_gpu, an_index_of_no_device_is_refused) {
  const auto got = try_partial(executor::cuda{nullptr, 1000}, op::max, std::vector<int>{1, 2});
  EXPECT_EQ(got.why().code(), status_code::unsupported);
  EXPECT_NE(got.why().message().find("1000"), std::string::npos) << got.why().message();
}

TEST_F(on_gpu, all_devices_together_give_the_state_of_the_cpu) {
  std::vector<float> x(7'000'001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i * 7919 % 1'000'003) * 0.1F;
  for (const op op : {op::sum, op::var, op::argmin}) {
    const auto got = try_partial(executor::devices{}, op, x);
    ASSERT_TRUE(got.ok()) << got.why().message();
    EXPECT_TRUE(*got == try_partial(executor::cpu{}, op, x).value()) << name(op);
  }
}

TEST_F(on_gpu, two_memories_are_refused) {
  if (!serves(op::dot, dtype::f32)) GTEST_SKIP() << "dot is not served";
  const std::vector<float> x(10, 1.0F);
  const device_bytes dx(std::vector<unsigned char>(40), 0);
  float answer = 0;
  const auto done = reduce(executor::cuda{}, op::dot, {x, view_of(dx.data(), dtype::f32, 10)},
                           output_view(answer));
  EXPECT_EQ(done.code(), status_code::mismatch);
}

TEST_F(on_gpu, a_stop_is_heard_and_progress_is_told) {
  std::vector<float> x(10'000'000, 1.0F);
  std::stop_source stop;
  options how;
  how.stop = stop.get_token();
  std::int64_t outcome = 0;
  how.progress = [&](std::int64_t done, std::int64_t all) {
    EXPECT_GE(done, outcome);
    EXPECT_EQ(all, std::int64_t(x.size()));
    outcome = done;
  };
  EXPECT_TRUE(try_partial(executor::cuda{}, op::max, x, how).ok());
  EXPECT_EQ(outcome, std::int64_t(x.size()));
  stop.request_stop();
  EXPECT_EQ(try_partial(executor::cuda{}, op::max, x, how).why().code(), status_code::cancelled);
  how.stop = {};
  outcome = 0;
  EXPECT_TRUE(try_partial(executor::cuda{}, op::max, x, how).ok()) << "after a stop";
}

}  // namespace
}  // namespace onefold::cuda::test
