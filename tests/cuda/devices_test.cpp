// SPDX-License-Identifier: Apache-2.0
// executor::devices over a runtime of three devices: the states of one, by all that there are work
// for, whatever fails on one of them.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "cuda/device_test.hpp"
#include "cuda/fake_runtime.hpp"
#include "cuda/runtime/slot.hpp"
#include "onefold/onefold.hpp"
#include "onefold/windows.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

constexpr std::int64_t bytes_for_three = std::int64_t(26) << 20;  // a part has 8 MiB or more

class on_devices : public testing::Test {
 protected:
  void SetUp() override { have_devices(3); }
  void TearDown() override {
    fail_call(0);
    for (int i = 0; i < 3; ++i) drop_kept_slots(i);
    have_devices(1);
  }

  /// Answers of both, and how many devices had work.
  static int expect_same(op op, std::initializer_list<array_view> views,
                         const options& options = {}) {
    const auto wanted = try_partial(executor::cpu{1}, op, views, options).value();
    have_devices(3);
    const auto got = try_partial(executor::devices{}, op, views, options);
    EXPECT_TRUE(got.ok()) << name(op) << ": " << got.why().message();
    EXPECT_TRUE(got.ok() && *got == wanted) << name(op);
    return devices_used();
  }
};

TEST_F(on_devices, every_state_is_that_of_one_device) {
  auto random = onefold::test::source_of(2501, 0);
  options from_seven;
  from_seven.first_index = 7;
  for (const dtype type : {dtype::f32, dtype::f64, dtype::i64, dtype::u8}) {
    SCOPED_TRACE(name(type));
    const auto n = bytes_for_three / std::int64_t(size_bytes(type)) + 5;
    auto bytes = random_elements(type, n, random);
    const array_view x(bytes.data(), type, {{n, std::int64_t(size_bytes(type))}});
    for (const op op : {op::sum, op::mean, op::var, op::norm2, op::argmax, op::minmax, op::any,
                        op::count_nonzero, op::logsumexp})
      EXPECT_EQ(expect_same(op, {x}, from_seven), 3) << name(op);
    if (type == dtype::i64) {
      EXPECT_EQ(expect_same(op::bit_xor, {x}), 3);
    }
  }
}

TEST_F(on_devices, dot_takes_the_same_range_of_both) {
  std::vector<double> x(bytes_for_three / 16 + 1), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i % 1009), y[i] = 1 / (1.0 + double(i));
  EXPECT_EQ(expect_same(op::dot, {x, y}), 3);
}

TEST_F(on_devices, positions_and_answers_are_those_of_the_whole) {
  std::vector<float> x(bytes_for_three / 4, 1.0f);
  x[x.size() - 2] = 9.0f;
  std::int64_t at = 0;
  EXPECT_TRUE(reduce(executor::devices{}, op::argmax, {x}, output_view(at)).ok());
  EXPECT_EQ(at, std::int64_t(x.size()) - 2);
  EXPECT_EQ(try_reduce<float>(executor::devices{{2, 0}}, op::sum, x).value(), double(x.size()) + 8);
  float fast = 0;
  options plain;
  plain.accuracy = accuracy::fast;
  EXPECT_TRUE(reduce(executor::devices{}, op::sum, {x}, output_view(fast), plain).ok());
  EXPECT_EQ(fast, float(double(x.size()) + 8));
}

TEST_F(on_devices, what_cannot_be_divided_is_the_first_ones) {
  std::vector<double> x(bytes_for_three / 8, 1.0 + 0x1p-50);
  const auto n = std::int64_t(x.size());
  EXPECT_EQ(expect_same(op::prod, {x}), 1);
  EXPECT_EQ(expect_same(op::sum, {array_view(x.data(), dtype::f64, {{1000, 8}})}), 1);
  std::vector<double> sums;
  have_devices(3);
  const array_view rows(x.data(), dtype::f64, {{2, n / 2 * 8}, {n / 2, 8}});
  options along;
  along.axes = axis(0);
  sums.resize(std::size_t(n / 2));
  const output_view columns(sums.data(), dtype::f64, {{n / 2, 8}});
  EXPECT_TRUE(reduce(executor::devices{}, op::sum, {rows}, columns, along).ok());
  EXPECT_EQ(sums[0], 2 * x[0]);
  EXPECT_EQ(devices_used(), 1);
}

TEST_F(on_devices, data_on_a_device_stay_there) {
  cudaSetDevice(1);
  const device_bytes x(std::vector<double>(1000, 0.5));
  cudaSetDevice(0);
  const array_view there(x.data(), dtype::f64, {{1000, 8}});
  EXPECT_EQ(try_reduce<double>(executor::devices{{0, 2}}, op::sum, there).value(), 500.0);
}

TEST_F(on_devices, windows_are_divided) {
  std::vector<double> x(bytes_for_three / 8 / window_items * window_items, 0.1);
  windows parts(executor::devices{}, {op::sum, op::var}, dtype::f64);
  have_devices(3);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(parts.add(x).ok());
  EXPECT_EQ(devices_used(), 3);
  std::vector<double> twice(x.size() * 2, 0.1);
  double got = 0;
  EXPECT_TRUE(parts.write(op::sum, output_view(got)).ok());
  EXPECT_EQ(got, sum(twice));
}

TEST_F(on_devices, every_call_may_fail_once) {
  std::vector<float> x(bytes_for_three / 4);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i * 7919 % 1'000'003);
  const auto wanted = try_partial(executor::cpu{}, op::sum, x).value();
  bool failed = true;
  int refused = 0;
  for (int call = 1; failed; call += 3) {
    fail_call(call);
    const auto got = try_partial(executor::devices{}, op::sum, x);
    failed = has_failed();
    fail_call(0);
    if (got.ok()) {
      EXPECT_TRUE(*got == wanted) << call;
      continue;
    }
    ++refused;
    EXPECT_EQ(got.why().code(), status_code::out_of_memory) << got.why().message();
  }
  EXPECT_GT(refused, 0);  // how many depends on the threads: a failed release is no failure
}

TEST_F(on_devices, progress_rises_to_all_and_a_stop_is_heard) {
  std::vector<float> x(bytes_for_three / 4, 1.0f);
  options watched;
  std::stop_source stop;
  watched.stop = stop.get_token();
  std::int64_t last = 0, calls = 0;
  watched.progress = [&](std::int64_t done, std::int64_t all) {
    EXPECT_GT(done, last);
    EXPECT_EQ(all, std::int64_t(x.size()));
    last = done, ++calls;
  };
  EXPECT_TRUE(try_partial(executor::devices{}, op::sum, x, watched).ok());
  EXPECT_EQ(last, std::int64_t(x.size()));
  EXPECT_GE(calls, 3);
  stop.request_stop();
  const auto stopped = try_partial(executor::devices{}, op::sum, x, watched);
  EXPECT_EQ(stopped.why().code(), status_code::cancelled);
}

TEST_F(on_devices, devices_that_are_not_there_are_refused_by_number) {
  const std::vector<float> x(10, 1.0f);
  const auto refusal = [&](const executor::devices& devices) {
    const auto got = try_partial(devices, op::sum, x);
    return got.ok() ? "none" : got.why().message();
  };
  EXPECT_NE(refusal({{0, 3}}).find("no CUDA device 3"), std::string::npos) << refusal({{0, 3}});
  EXPECT_NE(refusal({{1, 2, 1}}).find("device 1 is named twice"), std::string::npos);
  EXPECT_NE(refusal({{-1}}).find("counted from 0"), std::string::npos);
  have_devices(0);
  EXPECT_NE(refusal({}).find("no CUDA device"), std::string::npos);
}

// Answers [rows][inner] of elements [rows][middle][inner], of which the middle axis is reduced.
class on_devices_by_rows : public on_devices {
 protected:
  static constexpr std::int64_t middle = 1000, inner = 3;

  void fill(dtype type, std::int64_t number, onefold::test::random_source& random) {
    rows = number;
    const auto item = std::int64_t(size_bytes(type));
    bytes.resize(std::size_t(rows * middle * inner * item));
    for (std::int64_t i = 0; i < rows * middle * inner; ++i) {
      const float single = float(random.unit() - 0.25);
      const auto half = std::uint16_t(random() & 0xbfff);  // in (-2, 2)
      std::memcpy(&bytes[std::size_t(i * item)],
                  item == 2 ? static_cast<const void*>(&half) : &single, std::size_t(item));
    }
    elements = axis_list{{rows, middle * inner * item}, {middle, inner * item}, {inner, item}};
    x = array_view(bytes.data(), type, elements);
    along.axes = axis(1);
  }

  std::vector<double> answers_on(const executor& executor, op op, status& done) const {
    const std::int64_t each = answers_of(op) * 8;
    std::vector<double> answers(std::size_t(rows * inner * answers_of(op)), -1.0);
    const dtype type = op == op::argmax ? dtype::i64 : dtype::f64;
    axis_list axes = {{rows, inner * each}, {inner, each}};
    if (answers_of(op) > 1) axes.push_back({answers_of(op), 8});
    const output_view to(answers.data(), type, axes);
    done = reduce(executor, op, {x}, to, along);
    return answers;
  }

  void expect_same_answers(op op, int devices) const {
    status on_cpu, on_gpus;
    const auto wanted = answers_on(executor::cpu{1}, op, on_cpu);
    have_devices(3);
    const auto got = answers_on(executor::devices{}, op, on_gpus);
    EXPECT_TRUE(on_cpu.ok() && on_gpus.ok()) << name(op) << ": " << on_gpus.message();
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size() * 8), 0) << name(op);
    EXPECT_EQ(devices_used(), devices) << name(op);
  }

  std::int64_t rows = 0;
  std::vector<unsigned char> bytes;
  axis_list elements;
  array_view x = array_view(nullptr, dtype::f32, {});
  options along;
};

TEST_F(on_devices_by_rows, every_answer_is_that_of_the_cpu) {
  auto random = onefold::test::source_of(2502, 0);
  along.first_index = 7;
  for (const dtype type : {dtype::f16, dtype::f32}) {
    SCOPED_TRACE(name(type));
    fill(type,
         bytes_for_three / std::int64_t(size_bytes(type)) / (middle * inner) + random.between(1, 5),
         random);
    for (const op op : {op::sum, op::prod, op::logsumexp, op::argmax, op::minmax, op::var})
      expect_same_answers(op, 3);
  }
  const auto mask = random_elements(dtype::u8, middle, random);
  std::vector<std::uint8_t> truths(mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i) truths[i] = mask[i] % 2;
  truths[0] = 1;
  along.where = array_view(truths.data(), dtype::boolean, {{rows, 0}, {middle, 1}, {inner, 0}});
  for (const op op : {op::sum, op::var}) expect_same_answers(op, 3);
}

// Each part has its own range of the mask.
TEST_F(on_devices_by_rows, a_mask_may_vary_from_row_to_row) {
  auto random = onefold::test::source_of(2505, 0);
  fill(dtype::f32, bytes_for_three / 4 / (middle * inner) + random.between(1, 5), random);
  std::vector<std::uint8_t> kept(std::size_t(rows * middle * inner));
  for (auto& each : kept) each = std::uint8_t(random.below(2));
  for (std::int64_t i = 0; i < rows; ++i)  // an element of each answer
    for (std::int64_t j = 0; j < inner; ++j) kept[std::size_t(i * middle * inner + j)] = 1;
  along.where = array_view(kept.data(), dtype::boolean,
                           {{rows, middle * inner}, {middle, inner}, {inner, 1}});
  for (const op op : {op::sum, op::var, op::minmax, op::logsumexp}) expect_same_answers(op, 3);
  std::vector<std::uint8_t> of_row(static_cast<std::size_t>(rows), 1);
  for (std::size_t i = 1; i < of_row.size(); ++i) of_row[i] = std::uint8_t(random.below(2));
  along.where = array_view(of_row.data(), dtype::boolean, {{rows, 1}, {middle, 0}, {inner, 0}});
  expect_same_answers(op::sum, 3);
}

TEST_F(on_devices_by_rows, a_stop_ends_every_part) {
  auto random = onefold::test::source_of(2506, 0);
  fill(dtype::f32, 2 * bytes_for_three / 4 / (middle * inner) + 1, random);
  std::stop_source stop;
  std::int64_t reported = 0;
  along.stop = stop.get_token();
  along.progress = [&](std::int64_t done, std::int64_t) {
    reported = done;
    stop.request_stop();
  };
  status done;
  have_devices(3);
  answers_on(executor::devices{}, op::sum, done);
  EXPECT_EQ(done.code(), status_code::cancelled) << done.message();
  EXPECT_GT(reported, 0);
  EXPECT_LT(reported, rows * middle * inner);
}

TEST_F(on_devices_by_rows, elements_on_a_device_stay_there) {
  auto random = onefold::test::source_of(2504, 0);
  fill(dtype::f32, bytes_for_three / 4 / (middle * inner) + 1, random);
  status on_cpu, on_gpus;
  const auto wanted = answers_on(executor::cpu{1}, op::prod, on_cpu);
  have_devices(3);
  const device_bytes there(bytes);
  x = array_view(there.data(), dtype::f32, elements);
  const auto got = answers_on(executor::devices{}, op::prod, on_gpus);
  EXPECT_TRUE(on_gpus.ok()) << on_gpus.message();
  EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size() * 8), 0);
  EXPECT_EQ(devices_used(), 1);
}

TEST_F(on_devices_by_rows, fewer_rows_than_devices_are_cut_where_their_states_merge) {
  std::vector<float> two(bytes_for_three / 4, 0.5f);
  const auto n = std::int64_t(two.size()) / 2;
  double sums[2] = {};
  options inner_axis;
  inner_axis.axes = axis(1);
  const array_view rows_of_two(two.data(), dtype::f32, {{2, n * 4}, {n, 4}});
  have_devices(3);
  const output_view to(sums, dtype::f64, {{2, 8}});
  ASSERT_TRUE(reduce(executor::devices{}, op::sum, {rows_of_two}, to, inner_axis).ok());
  EXPECT_EQ(sums[0], double(n) / 2);
  EXPECT_EQ(sums[1], double(n) / 2);
  EXPECT_EQ(devices_used(), 3);
  have_devices(3);
  ASSERT_TRUE(reduce(executor::devices{}, op::logsumexp, {rows_of_two}, to, inner_axis).ok());
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(devices_used(), 3);
  have_devices(3);
  ASSERT_TRUE(reduce(executor::devices{}, op::prod, {rows_of_two}, to, inner_axis).ok());
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(devices_used(), 2);
}

TEST_F(on_devices, elements_with_gaps_and_masks_are_divided) {
  std::vector<double> x(bytes_for_three / 4, 1.0 + 0x1p-50);
  const auto n = std::int64_t(x.size());
  EXPECT_EQ(expect_same(op::sum, {array_view(x.data(), dtype::f64, {{n / 2, 16}})}), 3);
  const std::uint8_t mask[] = {1, 0};
  options masked;
  masked.where = array_view(mask, 2);
  EXPECT_EQ(expect_same(op::sum, {array_view(x.data(), dtype::f64, {{n / 2, 16}, {2, 8}})}, masked),
            3);
}

TEST_F(on_devices_by_rows, progress_rises_to_all_and_failures_are_reported) {
  auto random = onefold::test::source_of(2503, 0);
  fill(dtype::f32, bytes_for_three / 4 / (middle * inner) + 1, random);
  std::int64_t last = 0;
  along.progress = [&](std::int64_t done, std::int64_t all) {
    EXPECT_GE(done, last);
    EXPECT_EQ(all, rows * middle * inner);
    last = done;
  };
  status done;
  have_devices(3);
  answers_on(executor::devices{}, op::sum, done);
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(last, rows * middle * inner);
  along.progress = {};
  int refused = 0;
  for (int call = 5; call <= 35; call += 10) {
    fail_call(call);
    answers_on(executor::devices{}, op::sum, done);
    fail_call(0);
    if (done.ok()) continue;  // the engine does without what the call would have given
    ++refused;
    EXPECT_EQ(done.code(), status_code::out_of_memory) << done.message();
  }
  EXPECT_GT(refused, 0);
  std::memset(bytes.data() + bytes.size() - 4, 0xff, 4);  // a NaN in the last part
  along.nan_policy = nan_policy::error;
  answers_on(executor::devices{}, op::sum, done);
  status on_cpu;
  answers_on(executor::cpu{1}, op::sum, on_cpu);
  EXPECT_FALSE(done.ok());
  EXPECT_EQ(done.code(), on_cpu.code()) << done.message();
}

}  // namespace
}  // namespace onefold::cuda::test
