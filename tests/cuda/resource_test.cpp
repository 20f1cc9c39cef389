// SPDX-License-Identifier: Apache-2.0
// A caller's resource gives all device memory of a call, whatever kind it is, and has it back when
// the call ends: well, refused, or failed half way.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/runtime/slot.hpp"
#include "onefold/keys.hpp"
#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"

namespace onefold::cuda::test {
namespace {

constexpr int more_calls_than_there_are = 200;

class counting_resource final : public device_resource {
 public:
  void* allocate(std::size_t bytes, void* stream) noexcept override {
    ++calls;
    void* made = nullptr;
    if (calls >= refuses_from || used_ + bytes > most_bytes) return nullptr;
    if (cudaMalloc(&made, bytes + shift) != cudaSuccess) return nullptr;
    made = static_cast<std::byte*>(made) + shift;
    live_[made] = {bytes, stream}, used_ += bytes;
    return made;
  }
  // In stream order: what the stream holds is done first.
  void deallocate(void* memory, std::size_t bytes, void* stream) noexcept override {
    const auto found = live_.find(memory);
    ASSERT_TRUE(found != live_.end());
    EXPECT_EQ(found->second.bytes, bytes);
    EXPECT_EQ(found->second.stream, stream);
    cudaStreamSynchronize(static_cast<cudaStream_t>(stream));
    live_.erase(found), used_ -= bytes;
    cudaFree(static_cast<std::byte*>(memory) - shift);
  }
  bool has_all_back() const { return live_.empty(); }

  int calls = 0, refuses_from = 1 << 20;
  std::size_t most_bytes = std::size_t(1) << 30, shift = 0;

 private:
  struct piece {
    std::size_t bytes;
    void* stream;
  };
  std::map<void*, piece> live_;
  std::size_t used_ = 0;
};

constexpr std::int64_t several_blocks = 20'000;  ///< elements that need a workspace

/// Numbers of the host and of the device, and places for answers there.
struct numbers {
  std::vector<double> host = std::vector<double>(3'500'000);
  double* several = nullptr;  ///< blocks of a whole array
  double *there = nullptr, *answers = nullptr;
  std::int64_t *keys = nullptr, *unsorted = nullptr, *left = nullptr;
  std::vector<std::int64_t> offsets = {0};

  numbers() {
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = double(i % 1009);
    const auto room = [](auto*& to, std::size_t items) {
      EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&to), items * 8), cudaSuccess);
    };
    room(several, several_blocks), room(there, 1000), room(answers, 1000), room(keys, 1000),
        room(unsorted, 1000), room(left, 1000);
    std::copy_n(host.begin(), several_blocks, several);
    for (std::size_t i = 0; i < 1000; ++i)
      there[i] = host[i], keys[i] = unsorted[999 - i] = std::int64_t(i / 2);
    for (std::int64_t k = 0; k < 500; ++k) offsets.push_back(2 * k + 2);
  }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() {
    cudaFree(several), cudaFree(there), cudaFree(answers), cudaFree(keys), cudaFree(unsorted),
        cudaFree(left);
  }

  array_view here(std::int64_t n) const { return {host.data(), dtype::f64, {{n, 8}}}; }
  array_view view() const { return {there, dtype::f64, {{1000, 8}}}; }
  output_view answer(std::int64_t n) const { return {answers, dtype::f64, {{n, 8}}}; }
};

using call = std::function<status(const executor&)>;

struct kind_of_call {
  const char* name;
  int allocations;  ///< at the least
  call run;
};

options by_row(const array_view* mask = nullptr) {
  options how;
  how.axes = axis_set({1});
  if (mask != nullptr) how.where = *mask;
  return how;
}

std::vector<kind_of_call> kinds_of_calls(const numbers& numbers) {
  static const std::uint8_t mask[] = {1, 0, 1, 1};
  static const array_view where(mask, 4);
  static std::vector<double> sums(500);
  const auto rows = [](const void* x, std::int64_t n) {
    return array_view(x, dtype::f64, {{n, 32}, {4, 8}});
  };
  const output_view to(sums.data(), dtype::f64, {{200, 8}});
  return {
      {"answers that stay", 1,
       [&](const executor& on) {
         const array_view all(numbers.several, dtype::f64, {{several_blocks, 8}});
         return reduce(on, op::norm1, {all}, output_view(numbers.answers, dtype::f64));
       }},
      {"windows of the host", 4,
       [&](const executor& on) { return try_partial(on, op::sum, numbers.host).why(); }},
      {"windows in order", 2,
       [&](const executor& on) { return try_partial(on, op::prod, numbers.host).why(); }},
      {"a state of device data", 1,
       [&](const executor& on) { return try_partial(on, op::max, numbers.view()).why(); }},
      {"masked rows of the host", 2,
       [=, &numbers](const executor& on) {
         return reduce(on, op::sum, {rows(numbers.host.data(), 200)}, to, by_row(&where));
       }},
      {"rows of the device, to the host", 1,
       [=, &numbers](const executor& on) {
         return reduce(on, op::argmax, {rows(numbers.there, 200)},
                       output_view(sums.data(), dtype::i64, {{200, 8}}), by_row());
       }},
      {"segments", 1,
       [&](const executor& on) {
         return reduce_segments(on, op::sum, numbers.view(), numbers.offsets, numbers.answer(500));
       }},
      {"by key", 3,
       [&](const executor& on) {
         return reduce_by_key(on, op::sum, array_view(numbers.keys, dtype::i64, {{1000, 8}}),
                              numbers.view(), [&](std::int64_t) {
                                return group_outputs{numbers.left, numbers.answer(500)};
                              });
       }},
      {"by key in any order", 6,
       [&](const executor& on) {
         return reduce_by_key(on, op::sum, array_view(numbers.unsorted, dtype::i64, {{1000, 8}}),
                              numbers.view(), [&](std::int64_t) {
                                return group_outputs{numbers.left, numbers.answer(500)};
                              });
       }},
  };
}

class resources : public testing::Test {
 protected:
  void TearDown() override { fail_call(0); }

  numbers of_;
  std::vector<kind_of_call> kinds_ = kinds_of_calls(of_);
};

// Pinned memory is the engine's own, and there when the resource comes.
TEST_F(resources, give_all_device_memory_of_every_call) {
  for (const kind_of_call& each : kinds_) {
    ASSERT_TRUE(each.run(executor::cuda{}).ok()) << each.name;
    counting_resource from;
    const int allocated = allocations(), alive = things_alive();
    const status done = each.run(executor::cuda{.memory = &from});
    ASSERT_TRUE(done.ok()) << each.name << ": " << done.message();
    EXPECT_GE(from.calls, each.allocations) << each.name;
    EXPECT_EQ(allocations() - allocated, from.calls) << each.name;
    EXPECT_TRUE(from.has_all_back()) << each.name;
    EXPECT_EQ(things_alive(), alive) << each.name;
  }
}

TEST_F(resources, answers_are_those_of_the_engines_own_memory) {
  counting_resource from;
  const executor on = executor::cuda{.memory = &from};
  EXPECT_TRUE(*try_partial(on, op::sum, of_.host) ==
              *try_partial(executor::cpu{}, op::sum, of_.host));
  EXPECT_TRUE(*try_partial(on, op::argmax, of_.view()) ==
              *try_partial(executor::cpu{}, op::argmax, of_.here(1000)));
  ASSERT_TRUE(reduce_segments(on, op::sum, of_.view(), of_.offsets, of_.answer(500)).ok());
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(of_.answers[1], of_.host[2] + of_.host[3]);
}

TEST_F(resources, that_refuse_are_named_and_nothing_is_left) {
  for (const kind_of_call& each : kinds_) {
    ASSERT_TRUE(each.run(executor::cuda{}).ok()) << each.name;
    for (int call = 1; call <= each.allocations; ++call) {
      drop_kept_slots(0);
      const int alive = things_alive();
      counting_resource from;
      from.refuses_from = call;
      const status done = each.run(executor::cuda{.memory = &from});
      // Of two windows one is enough.
      const bool may_do = std::string(each.name).find("windows") == 0 && call > 2;
      if (done.ok() && may_do) continue;
      EXPECT_EQ(done.code(), status_code::out_of_memory) << each.name << call << done.message();
      EXPECT_NE(done.message().find("the caller's device_resource"), std::string::npos);
      EXPECT_NE(done.message().find("; give it more memory, or "), std::string::npos);
      EXPECT_TRUE(from.has_all_back()) << each.name << call;
      drop_kept_slots(0);
      EXPECT_EQ(things_alive(), alive) << each.name << call;
    }
  }
}

// Two windows of 8 MiB do not fit, of 256 KiB they do.
TEST_F(resources, that_are_small_have_small_windows) {
  const auto wanted = try_partial(executor::cpu{}, op::sum, of_.host).value();
  for (const std::size_t bytes : {std::size_t(9) << 20, std::size_t(1) << 20}) {
    counting_resource from;
    from.most_bytes = bytes;
    const auto got = try_partial(executor::cuda{.memory = &from}, op::sum, of_.host);
    ASSERT_TRUE(got.ok()) << got.why().message();
    EXPECT_TRUE(*got == wanted);
    EXPECT_TRUE(from.has_all_back());
  }
}

TEST_F(resources, whose_memory_is_not_aligned_are_refused) {
  for (const kind_of_call& each : kinds_) {
    counting_resource from;
    from.shift = 64;
    const status done = each.run(executor::cuda{.memory = &from});
    EXPECT_EQ(done.code(), status_code::usage) << each.name << done.message();
    EXPECT_NE(done.message().find("a multiple of 256 bytes"), std::string::npos) << done.message();
    EXPECT_TRUE(from.has_all_back()) << each.name;
    from.shift = 256;
    EXPECT_TRUE(each.run(executor::cuda{.memory = &from}).ok()) << each.name;
  }
}

TEST_F(resources, have_all_back_whatever_call_fails) {
  for (const kind_of_call& each : kinds_) {
    bool failed = true;
    for (int call = 1; failed && call < more_calls_than_there_are; ++call) {
      counting_resource from;
      fail_call(call);
      const status done = each.run(executor::cuda{.memory = &from});
      failed = has_failed();
      fail_call(0);
      EXPECT_TRUE(from.has_all_back()) << each.name << call << done.message();
    }
    EXPECT_FALSE(failed) << each.name;
  }
}

}  // namespace
}  // namespace onefold::cuda::test
