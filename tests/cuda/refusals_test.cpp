// SPDX-License-Identifier: Apache-2.0
// What the CUDA engine answers without a device, and what it does not serve: a status with a
// remedy, never another engine's answer.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cuda/engine.hpp"
#include "onefold/keys.hpp"
#include "onefold/nccl.hpp"
#include "onefold/onefold.hpp"
#include "onefold/scatter.hpp"

namespace onefold::cuda::test {
namespace {

const std::vector<double> values(24, 1.5);
const executor gpu = executor::cuda{};

void expect_refused(const status& why, const std::string& says) {
  EXPECT_EQ(why.code(), status_code::unsupported) << why.message();
  EXPECT_NE(why.message().find("executor::cpu"), std::string::npos) << why.message();
  // Without CUDA in the build that is all there is to say.
  const bool built = why.message().find("no CUDA engine") == std::string::npos;
  if (built) {
    EXPECT_NE(why.message().find(says), std::string::npos) << why.message();
  }
}

TEST(cuda_refusals, a_machine_without_a_device_is_told_so) {
  const auto there = check_device({});
  if (there.ok()) GTEST_SKIP() << "there is a device";
  EXPECT_EQ(there.code(), status_code::unsupported);
  EXPECT_NE(there.message().find("executor::cpu"), std::string::npos);
  EXPECT_EQ(find_devices().why_none, there.message());
  expect_refused(try_partial(gpu, op::max, values).why(), "no CUDA device");
  double answer = 7;
  expect_refused(reduce(gpu, op::max, {values}, output_view(answer)), "no CUDA device");
  EXPECT_EQ(answer, 7);
  expect_refused(try_stats(gpu, values).why(), "");
  EXPECT_FALSE(lies_on_device(values.data()));
}

TEST(cuda_refusals, doors_of_the_cpu_alone_and_memory_of_the_host) {
  double answer = 0;
  const std::int64_t offsets[] = {0, 24};
  const array_view x(values);
  expect_refused(
      reduce_segments(gpu, op::max, x, offsets, output_view(&answer, dtype::f64, {{1, 8}})),
      check_device({}).ok() ? "host memory" : "no CUDA device");
  std::vector<double> out(24);
  const view<double> matrix(values.data(), {4, 6});
  axis_list turned = {{6, 32}, {4, 8}};
  // Whose memory it is only a device can tell.
  const char* const why = check_device({}).ok() ? "host memory" : "no CUDA device";
  expect_refused(transpose(gpu, matrix, out.data(), turned), why);
  const std::int64_t keys[4] = {}, bounds[] = {0, 4};
  expect_refused(scatter_rows(gpu, op::sum, matrix, array_view(keys, 4), out.data(), 1), why);
  expect_refused(segment_rows(gpu, op::mean, matrix, array_view(bounds, 2), out.data()), why);
  expect_refused(rms_norm(gpu, matrix, out.data()), why);
  expect_refused(layer_norm(gpu, matrix, out.data()), why);
  expect_refused(rms_norm_backward(gpu, matrix, matrix, out.data()), why);
  const array_view rows(values.data(), dtype::f32, {{4, 24}, {6, 4}});
  const std::vector<state> whole(4, state(op::logsumexp, dtype::f32));
  expect_refused(softmax(gpu, rows, out.data()), why);
  expect_refused(softmax_backward(gpu, rows, rows, out.data()), why);
  expect_refused(log_softmax_part(gpu, rows, out.data(), whole), why);
  const std::int64_t targets[4] = {};
  float losses[4];
  double totals[12];
  expect_refused(cross_entropy(gpu, rows, targets, losses, {.totals = totals}), why);
  expect_refused(cross_entropy_backward(gpu, rows, targets, losses, totals, out.data()), why);
  expect_refused(reduce_losses(gpu, losses, targets, 4, loss_reduction::sum, totals, dtype::f64),
                 why);
  expect_refused(loss_scales(gpu, {totals, dtype::f64, {}}, nullptr, targets, 4, losses), why);
  if (check_device({}).ok()) return;
  expect_refused(nccl::all_reduce(*gpu.gpu(), op::sum, x, output_view(answer), nullptr), why);
}

void expect_no_device_options(const status& why) {
  EXPECT_EQ(why.code(), status_code::unsupported);
  EXPECT_NE(why.message().find("options::count"), std::string::npos) << why.message();
}

TEST(cuda_refusals, options_of_the_device_are_never_left_out_in_silence) {
  const std::int64_t some = 3, offsets[] = {0, 24};
  std::int32_t code = 0;
  options counted, outcome;
  counted.count = &some;
  outcome.status_out = &code;
  double answer = 7;
  const array_view x(values);
  const std::vector<std::int64_t> keys(24);
  const auto no_groups = [](std::int64_t) -> group_outputs {
    return {nullptr, {nullptr, dtype::f64, axis_list()}};
  };
  for (const options& how : {counted, outcome})
    for (const executor& on : {executor(executor::cpu{}), gpu}) {
      expect_no_device_options(try_stats(on, x, how).why());
      expect_no_device_options(try_partial(on, op::sum, x, how).why());
      expect_no_device_options(windows(on, op::sum, dtype::f64, how).add(x));
      expect_no_device_options(reduce_segments(on, op::sum, x, offsets,
                                               output_view(&answer, dtype::f64, {{1, 8}}), how));
      expect_no_device_options(reduce_by_key(on, op::sum, keys, x, no_groups, how));
    }
  expect_no_device_options(reduce(executor::cpu{}, op::sum, {x}, output_view(answer), counted));
  EXPECT_EQ(answer, 7);
}

}  // namespace
}  // namespace onefold::cuda::test
