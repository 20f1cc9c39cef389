// SPDX-License-Identifier: Apache-2.0
// executor::automatic over a runtime without a device: it goes where the data are, and comes back
// from a GPU that is full, with the CPU's bits, one reason, and nothing left behind.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/runtime/slot.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

// Three windows and a bit of f64, three of f32.
std::vector<double> elements() {
  std::vector<double> x(3'500'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i * 7919 % 1'000'003) + 0.1;
  return x;
}

/// Elements in the fake device's memory.
class device_copy {
 public:
  explicit device_copy(const std::vector<double>& x) {
    EXPECT_EQ(cudaMalloc(&at_, x.size() * sizeof(double)), cudaSuccess);
    std::memcpy(at_, x.data(), x.size() * sizeof(double));
    view_ = array_view(at_, dtype::f64, {{std::int64_t(x.size()), 8}});
  }
  device_copy(const device_copy&) = delete;
  device_copy& operator=(const device_copy&) = delete;
  ~device_copy() { cudaFree(at_); }

  const array_view& view() const { return view_; }
  void* data() const { return at_; }

 private:
  void* at_ = nullptr;
  array_view view_{nullptr, dtype::f64, {{0, 8}}};
};

/// A place told by options::placed.
struct outcome {
  bool gpu;
  status_code code;
  friend bool operator==(const outcome&, const outcome&) = default;
};
constexpr outcome to_gpu = {true, status_code::ok}, to_cpu = {false, status_code::ok};
constexpr outcome full = {false, status_code::out_of_memory};

options noting(std::vector<outcome>& places, options how = {}) {
  how.placed = [&places](const executor& on, const status& why) {
    places.push_back({on.gpu() != nullptr, why.code()});
    if (!why.ok()) {
      EXPECT_NE(why.message().find("the CPU reduced the data"), std::string::npos);
    }
  };
  return how;
}

class automatic : public testing::Test {
 protected:
  void SetUp() override { make_link_quick(true); }
  void TearDown() override {
    make_link_quick(false), limit_memory(0), fail_call(0), have_devices(1);
    fail_with(cudaErrorMemoryAllocation), drop_kept_slots(0);
    EXPECT_EQ(things_alive(), 0) << "of the device, of pinned memory, of streams";
  }
};

TEST_F(automatic, data_in_device_memory_are_reduced_there) {
  const std::vector<double> x(1000, 1.5);
  const device_copy there(x);
  make_link_quick(false);
  EXPECT_EQ(try_reduce<double>(executor{}, op::sum, there.view()).value(), 1500);
  EXPECT_EQ(*try_partial(executor{}, op::max, there.view()),
            *try_partial(executor::cpu{}, op::max, x));
  EXPECT_EQ(try_stats(executor{}, there.view()).value().count, 1000);
  windows all(executor{}, op::sum, dtype::f64);
  ASSERT_TRUE(all.add(there.view()).ok());
  ASSERT_TRUE(all.add(x).ok()) << "data of the host behind them";
  double sum = 0;
  ASSERT_TRUE(all.write(output_view(sum)).ok());
  EXPECT_EQ(sum, 3000);
}

TEST_F(automatic, answers_in_device_memory_are_written_there) {
  const std::vector<double> x(1000, 1.5);
  const device_copy answer({0});
  make_link_quick(false);
  const status done = reduce(executor{}, op::sum, {x}, output_view(answer.data(), dtype::f64));
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(*static_cast<double*>(answer.data()), 1500);
}

TEST_F(automatic, transposes_follow_the_data) {
  const device_copy from({1, 2, 3, 4, 5, 6}), to({0, 0, 0, 0, 0, 0});
  make_link_quick(false);
  const array_view in(from.data(), dtype::f64, {{2, 24}, {3, 8}});
  const status done = transpose(executor{}, in, to.data(), {{3, 16}, {2, 8}});
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(static_cast<double*>(to.data())[1], 4);
}

TEST_F(automatic, what_no_kernel_serves_is_refused_where_the_cpu_cannot_read) {
  const device_copy there({1, 2, 3});
  double answer = 0;
  const std::int64_t offsets[] = {0, 3};
  const auto refused = reduce_segments(executor{}, op::sum, there.view(), offsets,
                                       output_view(&answer, dtype::f64, {{1, 8}}));
  EXPECT_EQ(refused.code(), status_code::unsupported);
  EXPECT_NE(refused.message().find("executor::cpu"), std::string::npos) << refused.message();
}

TEST_F(automatic, without_a_device_it_is_the_cpu_and_says_nothing) {
  have_devices(0);
  const auto x = elements();
  std::vector<outcome> places;
  const auto got = try_partial(executor{}, op::sum, x, noting(places));
  EXPECT_TRUE(*got == *try_partial(executor::cpu{}, op::sum, x));
  EXPECT_TRUE(places.empty());
}

// Room for windows of every size, and for none: 8 MiB twice on both sides take 32 MiB.
TEST_F(automatic, windows_shrink_with_the_memory_that_there_is) {
  const auto x = elements();
  const auto wanted = try_partial(executor::cpu{}, op::sum, x).value();
  for (std::size_t bytes = std::size_t(64) << 20; bytes >= 4096; bytes /= 2) {
    limit_memory(bytes);
    std::vector<outcome> places;
    const auto got = try_partial(executor{}, op::sum, x, noting(places));
    ASSERT_TRUE(got.ok()) << bytes << got.why().message();
    EXPECT_TRUE(*got == wanted) << bytes;
    // Two buffers of the least window, and words.
    const bool fits = bytes > 2 * least_window_bytes + 32768;
    EXPECT_EQ(places, (fits ? std::vector{to_gpu} : std::vector{to_gpu, full})) << bytes;
    const auto asked_for = try_partial(executor::cuda{}, op::sum, x);
    EXPECT_EQ(asked_for.ok(), fits) << bytes;
    if (!fits) {
      EXPECT_EQ(asked_for.why().code(), status_code::out_of_memory);
    }
    drop_kept_slots(0);
  }
}

// Parts in order keep whole chunks, of 512 KiB of f64.
TEST_F(automatic, small_windows_keep_the_bits_of_products) {
  const auto x = elements();
  double wanted = 0;
  ASSERT_TRUE(reduce(executor::cpu{}, op::prod, {x}, output_view(wanted)).ok());
  for (const std::size_t bytes : {std::size_t(9) << 20, std::size_t(3) << 20}) {
    limit_memory(bytes);
    double got = 1;
    const status done = reduce(executor::cuda{}, op::prod, {x}, output_view(got));
    ASSERT_TRUE(done.ok()) << done.message();
    EXPECT_EQ(got, wanted) << bytes;
    drop_kept_slots(0);
  }
}

// More slots than there are sizes of windows to try.
TEST_F(automatic, kept_memory_is_given_up_first) {
  {
    std::vector<std::unique_ptr<borrowed_slot>> slots;
    for (int i = 0; i < 8; ++i) slots.push_back(std::make_unique<borrowed_slot>(0));
    for (auto& each : slots) each->give_back();
  }
  EXPECT_EQ(things_alive(), 16) << "a stream and words each";
  limit_memory(1);
  std::vector<outcome> places;
  EXPECT_TRUE(try_partial(executor{}, op::sum, elements(), noting(places)).ok());
  EXPECT_EQ(places, (std::vector{to_gpu, full}));
  EXPECT_EQ(things_alive(), 0);
}

using attempt = std::function<void(const executor&, const options&)>;

// Every call fails once, as memory does and as a device does: the answer stands, told once.
void expect_recovery(const attempt& run) {
  for (const auto code : {cudaErrorMemoryAllocation, cudaErrorIllegalAddress}) {
    fail_with(code);
    const status_code as =
        code == cudaErrorMemoryAllocation ? status_code::out_of_memory : status_code::device_error;
    int gave_back = 0;
    bool failed = true;
    for (int call = 1; failed; ++call) {
      std::vector<outcome> places;
      std::int64_t done = 0;
      options how = noting(places);
      how.progress = [&](std::int64_t now, std::int64_t) {
        EXPECT_GE(now, done);
        done = now;
      };
      fail_call(call);
      run(executor{}, how);
      failed = has_failed();
      fail_call(0);
      if (call == 1) {
        EXPECT_TRUE(places.empty()) << "a device that cannot be asked for is none";
        continue;
      }
      ASSERT_GE(places.size(), 1u) << call;
      ASSERT_LE(places.size(), 2u) << call;
      EXPECT_EQ(places[0], to_gpu) << call;
      if (places.size() == 2) {
        ++gave_back;
        EXPECT_EQ(places[1], (outcome{false, as})) << call;
      }
      drop_kept_slots(0);
    }
    EXPECT_GT(gave_back, 5);
  }
}

TEST_F(automatic, states_survive_every_failure) {
  const auto x = elements();
  for (const op op : {op::sum, op::prod}) {
    const auto wanted = try_partial(executor::cpu{}, op, x).value();
    expect_recovery([&](const executor& on, const options& how) {
      const auto got = try_partial(on, op, x, how);
      ASSERT_TRUE(got.ok()) << got.why().message();
      EXPECT_TRUE(*got == wanted);
    });
  }
}

TEST_F(automatic, answers_survive_every_failure) {
  std::vector<float> x(90'000), wanted(30'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i % 1009);
  const view<float> matrix(x.data(), {30'000, 3});
  const auto run = [&](const executor& on, options how, std::vector<float>& to) {
    how.axes = axis_set({1});
    const status done =
        reduce(on, op::sum, {matrix}, output_view(to.data(), dtype::f32, {{30'000, 4}}), how);
    EXPECT_TRUE(done.ok()) << done.message();
  };
  run(executor::cpu{}, {}, wanted);
  expect_recovery([&](const executor& on, const options& how) {
    std::vector<float> got(wanted.size(), -1);
    run(on, how, got);
    EXPECT_EQ(got, wanted);
  });
}

TEST_F(automatic, streams_survive_every_failure_and_stay_on_the_cpu) {
  const auto x = elements();
  const op_list ops = {op::sum, op::logsumexp, op::argmax};
  const auto run = [&](const executor& on, const options& how) {
    windows all(on, ops, dtype::f64, how);
    // Of three windows of the engine each: some are in the states when the next one fails.
    const std::size_t piece = 40 * std::size_t(window_items);
    for (std::size_t at = 0; at < x.size(); at += piece) {
      const auto n = std::min(x.size() - at, piece);
      const status done = all.add(array_view(x.data() + at, n));
      EXPECT_TRUE(done.ok()) << done.message();
    }
    std::vector<double> answers(3);
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(all.write(ops[i], output_view(answers[std::size_t(i)])).ok());
    return answers;
  };
  const auto wanted = run(executor::cpu{}, {});
  expect_recovery([&](const executor& on, const options& how) { EXPECT_EQ(run(on, how), wanted); });
}

}  // namespace
}  // namespace onefold::cuda::test
