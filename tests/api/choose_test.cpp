// SPDX-License-Identifier: Apache-2.0
// The steps of executor::automatic by themselves; tests/cuda/automatic_test.cpp has them at work.
#include "api/choose.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "onefold/machine.hpp"
#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

const choice cpu_alone = {executor::cpu{}}, gpu_of_automatic = {executor::cuda{}, executor::cpu{2}};

TEST(choose, what_is_named_stays) {
  const std::vector<double> x(10);
  for (const executor& on : {executor(executor::cpu{3}), executor(executor::cuda{nullptr, 5})}) {
    EXPECT_EQ(beside(on, {x.data()}), on);
    const plan sum = make_plan(executor::cpu{}, op::sum, x).value();
    const auto kept = choose(on, sum);
    EXPECT_EQ(kept.executor, on);
    EXPECT_EQ(choose_executor(on, sum), on);
    EXPECT_FALSE(kept.back);
  }
}

TEST(choose, data_of_the_host_leave_automatic_as_it_is) {
  const std::vector<double> x(10);
  EXPECT_TRUE(beside({}, {x.data(), nullptr}).chooses());
  const array_view view = x;
  options masked;
  masked.where = view;
  EXPECT_TRUE(beside({}, std::span(&view, 1), {}, masked).chooses());
}

TEST(choose, only_what_the_cpu_can_mend_falls_back) {
  for (const auto code :
       {status_code::out_of_memory, status_code::device_error, status_code::unsupported})
    EXPECT_TRUE(falls_back({code, ""})) << name(code);
  for (const auto code : {status_code::ok, status_code::cancelled, status_code::overflow,
                          status_code::not_a_number, status_code::mismatch, status_code::empty})
    EXPECT_FALSE(falls_back({code, ""})) << name(code);
}

struct trace {
  std::vector<executor> ran, reported;
  std::vector<status_code> why;
};

status run(const choice& at, status_code of_gpu, trace& seen) {
  options how;
  how.placed = [&](const executor& on, const status& why) {
    seen.reported.push_back(on), seen.why.push_back(why.code());
  };
  return run_on(at, how, [&](const executor& on, const options&) {
    seen.ran.push_back(on);
    return on.gpu() != nullptr ? status(of_gpu, "as planted") : status();
  });
}

TEST(choose, a_gpu_that_fails_gives_the_work_to_the_cpu_once) {
  trace seen;
  EXPECT_TRUE(run(gpu_of_automatic, status_code::out_of_memory, seen).ok());
  EXPECT_EQ(seen.ran, (std::vector<executor>{executor::cuda{}, executor::cpu{2}}));
  EXPECT_EQ(seen.reported, seen.ran);
  EXPECT_EQ(seen.why, (std::vector{status_code::ok, status_code::out_of_memory}));
}

TEST(choose, what_is_wrong_with_the_request_is_not_tried_twice) {
  trace seen;
  EXPECT_EQ(run(gpu_of_automatic, status_code::overflow, seen).code(), status_code::overflow);
  EXPECT_EQ(seen.ran.size(), 1u);
}

TEST(choose, without_a_choice_nothing_is_reported) {
  trace seen;
  EXPECT_TRUE(run(cpu_alone, status_code::ok, seen).ok());
  EXPECT_EQ(run({executor::cuda{}}, status_code::out_of_memory, seen).code(),
            status_code::out_of_memory)
      << "who names a GPU gets its error";
  EXPECT_TRUE(seen.reported.empty());
}

TEST(choose, progress_does_not_fall_when_the_cpu_begins_anew) {
  std::vector<std::int64_t> reported;
  options how;
  how.progress = [&](std::int64_t done, std::int64_t) { reported.push_back(done); };
  const options rising = with_rising_progress(how);
  for (const std::int64_t done : {3, 7, 1, 5, 9}) rising.progress(done, 9);
  EXPECT_EQ(reported, (std::vector<std::int64_t>{3, 7, 7, 7, 9}));
}

}  // namespace
}  // namespace onefold::test
