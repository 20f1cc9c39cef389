// SPDX-License-Identifier: Apache-2.0
// Every error of the CUDA engine is a status that says what, where and what to do.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/kernels/keys/sorted.hpp"
#include "cuda/runtime/failure.hpp"
#include "cuda/runtime/slot.hpp"
#include "onefold/keys.hpp"
#include "onefold/machine.hpp"
#include "onefold/nccl.hpp"
#include "onefold/onefold.hpp"
#include "onefold/scatter.hpp"
#include "onefold/segments.hpp"

namespace onefold::cuda::test {
namespace {

struct error_row {
  cudaError_t code;
  status_code as;
  const char* remedy;
};

constexpr error_row rows[] = {
    {cudaErrorMemoryAllocation, status_code::out_of_memory, "free some device or pinned memory"},
    {cudaErrorNoDevice, status_code::unsupported, "onefold doctor"},
    {cudaErrorInvalidDevice, status_code::unsupported, "onefold doctor"},
    {cudaErrorInsufficientDriver, status_code::unsupported, "newer NVIDIA driver"},
    {cudaErrorNoKernelImageForDevice, status_code::unsupported, "CMAKE_CUDA_ARCHITECTURES"},
    {cudaErrorUnsupportedPtxVersion, status_code::unsupported, "newer NVIDIA driver"},
    {cudaErrorCompatNotSupportedOnDevice, status_code::unsupported, "driver"},
    {cudaErrorStreamCaptureUnsupported, status_code::unsupported, "end the capture"},
    {cudaErrorInvalidResourceHandle, status_code::device_error, "give a stream"},
    {cudaErrorContextIsDestroyed, status_code::device_error, "give a stream"},
    {cudaErrorIllegalAddress, status_code::device_error, "start again"},
    {cudaErrorLaunchFailure, status_code::device_error, "start again"},
    {cudaErrorLaunchOutOfResources, status_code::device_error, "registers"},
    {cudaErrorECCUncorrectable, status_code::device_error, "nvidia-smi"},
    {cudaErrorDevicesUnavailable, status_code::device_error, "another process"},
    {cudaErrorUnknown, status_code::device_error, "the driver's log"},
};

void expect_told(const status& why, const error_row& as, const std::string& where) {
  EXPECT_EQ(why.code(), as.as) << where << why.message();
  EXPECT_NE(why.message().find(as.remedy), std::string::npos) << where << why.message();
  EXPECT_NE(why.message().find(": "), std::string::npos) << where << "no call";
}

class cuda_errors : public testing::Test {
 protected:
  void TearDown() override {
    fail_call(0), fail_with(cudaErrorMemoryAllocation), have_devices(1);
    drop_kept_slots(0);
    EXPECT_EQ(things_alive(), before_) << "what has failed leaves nothing";
  }

 private:
  int before_ = (drop_kept_slots(0), things_alive());
};

TEST_F(cuda_errors, every_code_has_its_status_and_remedy) {
  for (const error_row& each : rows)
    expect_told(status_of(each.code, "some call"), each, "some call");
}

// Of a stream, of a launch, of a copy, of waiting: whichever call it is.
TEST_F(cuda_errors, every_call_tells_what_failed) {
  const std::vector<double> x(300'000, 1.5);
  const view<double> rows_of_x(x.data(), {1000, 300});
  std::vector<double> answers(1000);
  options by_row;
  by_row.axes = {1};
  const auto whole = [&](const executor& on) { return try_partial(on, op::sum, x).why(); };
  const auto each_row = [&](const executor& on) {
    return reduce(on, op::max, {rows_of_x}, output_view(answers.data(), dtype::f64, {{1000, 8}}),
                  by_row);
  };
  for (const error_row& row : rows) {
    if (row.as == status_code::out_of_memory) continue;  // goes on in smaller windows
    fail_with(row.code);
    int outcome = 0;
    bool failed = true;
    for (int call = 1; failed; ++call) {
      failed = false;
      for (const bool one : {true, false}) {
        fail_call(call);
        const status why = one ? whole(executor::cuda{}) : each_row(executor::cuda{});
        failed |= has_failed();
        fail_call(0);
        if (why.ok()) continue;
        expect_told(why, row, "call " + std::to_string(call) + ": "), ++outcome;
      }
    }
    EXPECT_GT(outcome, 15);
    EXPECT_TRUE(whole(executor::cuda{}).ok()) << "after all that";
  }
}

TEST_F(cuda_errors, a_driver_that_is_too_old_or_missing_is_named) {
  const auto said = [](int driver) {
    have_driver(driver);
    return check_executor(executor::cuda{}).message();
  };
  const std::string old = said(11040), none = said(0);
  have_driver(CUDART_VERSION);
  const std::string cpu = "; the CPU needs none (executor::cpu, --device cpu)";
  EXPECT_EQ(old, "no CUDA device: the NVIDIA driver is for CUDA 11.4, and this library needs " +
                     ("CUDA " + std::to_string(CUDART_VERSION / 1000)) +
                     ": install a newer driver" + cpu);
  EXPECT_EQ(none, "no CUDA device: this machine has no NVIDIA driver" + cpu);
  EXPECT_TRUE(check_executor(executor::cuda{}).ok());
}

TEST_F(cuda_errors, no_device_is_refused_at_every_door) {
  have_devices(0);
  const std::vector<double> x(6, 1.5);
  double out[6];
  const executor on = executor::cuda{};
  windows all(on, op::sum, dtype::f64);
  const array_view matrix(x.data(), dtype::f64, {{2, 24}, {3, 8}});
  options by_row;
  by_row.axes = {1};
  const std::int64_t offsets[] = {0, 6}, keys[6] = {}, targets[2] = {};
  float losses[2];
  double totals[6];
  const std::vector<state> states(2, state(op::logsumexp, dtype::f32));
  const output_view one(out, dtype::f64, {{1, 8}});
  const auto to_host = [&](std::int64_t) { return group_outputs{out + 1, one}; };
  const status refusals[] = {
      check_executor(on),
      reduce(on, op::sum, {x}, output_view(out[0])),
      reduce(on, op::dot, {x, x}, output_view(out[0])),
      reduce(on, op::sum, {matrix}, output_view(out, dtype::f64, {{2, 8}}), by_row),
      try_partial(on, op::sum, x).why(),
      try_stats(on, x).why(),
      all.add(x),
      reduce_segments(on, op::sum, x, offsets, one),
      reduce_by_key(on, op::sum, array_view(keys, 6), x, to_host),
      workspace_size(on, op::sum, {x}, {output_view(out[0])}).why(),
      workspace_init({}, out, sizeof out),
      scatter_rows(on, op::sum, matrix, array_view(keys, 2), out, 1),
      segment_rows(on, op::sum, matrix, array_view(offsets, 2), out),
      transpose(on, matrix, out, {{3, 16}, {2, 8}}),
      rms_norm(on, matrix, out),
      layer_norm(on, matrix, out),
      rms_norm_backward(on, matrix, matrix, out),
      softmax(on, array_view(x.data(), dtype::f32, {{2, 8}, {2, 4}}), out),
      softmax_backward(on, array_view(x.data(), dtype::f32, {{2, 8}, {2, 4}}),
                       array_view(x.data(), dtype::f32, {{2, 8}, {2, 4}}), out),
      softmax_part(on, array_view(x.data(), dtype::f32, {{2, 8}, {2, 4}}), out, states),
      cross_entropy(on, array_view(x.data(), dtype::f32, {{2, 8}, {2, 4}}), targets, losses),
      cross_entropy_backward(on, array_view(x.data(), dtype::f32, {{2, 8}, {2, 4}}), targets,
                             losses, totals, out),
      nccl::all_reduce({}, op::sum, x, output_view(out[0]), nullptr),
      nccl::all_reduce_elements({}, op::sum, output_view(out[0]), nullptr)};
  for (const status& why : refusals) {
    EXPECT_EQ(why.code(), status_code::unsupported) << why.message();
    EXPECT_NE(why.message().find("no CUDA device"), std::string::npos) << why.message();
    EXPECT_NE(why.message().find("executor::cpu"), std::string::npos) << why.message();
  }
}

// Keys that have to be sorted.
TEST_F(cuda_errors, unsorted_keys_of_elements_with_gaps_are_refused_with_a_remedy) {
  std::int64_t* there = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&there), 96), cudaSuccess);
  there[0] = 2, there[1] = 1, there[2] = 2;
  const array_view keys(there, dtype::i64, {{3, 8}}), spread(there, dtype::i64, {{3, 16}});
  const status why =
      reduce_by_key(executor::cuda{}, op::sum, keys, spread, [&](std::int64_t) -> group_outputs {
        ADD_FAILURE() << "asked for room";
        return {there, output_view(there, dtype::i64, {{2, 8}})};
      });
  EXPECT_EQ(why.code(), status_code::unsupported);
  EXPECT_NE(why.message().find("executor::cpu"), std::string::npos) << why.message();
  cudaFree(there);
}

// Before anything is asked of the device.
TEST_F(cuda_errors, more_keys_than_can_be_sorted_are_refused_with_the_remedy) {
  const key_list keys = {nullptr, most_sorted_keys + 1, kind_of(dtype::i32)};
  try {
    const sorted_elements sorted(keys, nullptr, 4, {});
    ADD_FAILURE() << "sorted";
  } catch (const error& failed) {
    EXPECT_EQ(failed.why().code(), status_code::unsupported);
    EXPECT_NE(failed.why().message().find("sort keys and values by key first"), std::string::npos);
  }
}

}  // namespace
}  // namespace onefold::cuda::test
