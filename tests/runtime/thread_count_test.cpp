// SPDX-License-Identifier: Apache-2.0
// How many threads there are is asked once a process, so each case here has a process of its own.
#include "runtime/threads.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

int affinity() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 4096;
}

// Exits with 0 in a new process that has ONEFOLD_THREADS and finds what it should.
void expect_in_new_process(const char* variable, bool (*right)(const thread_count&)) {
  setenv("ONEFOLD_THREADS", variable, 1);
  EXPECT_EXIT(std::exit(right(available_threads()) ? 0 : 1), testing::ExitedWithCode(0), "")
      << "ONEFOLD_THREADS=" << variable;
  unsetenv("ONEFOLD_THREADS");
}

bool from_the_machine(const thread_count& counted) {
  return counted.threads >= 1 && counted.threads <= affinity() &&
         (counted.reason == "affinity" || counted.reason == "cgroup quota");
}

TEST(thread_count_death_test, is_what_the_variable_says) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  expect_in_new_process("3", [](const thread_count& counted) {
    return counted.threads == 3 && counted.reason == "ONEFOLD_THREADS";
  });
  expect_in_new_process("4096", [](const thread_count& counted) {
    return counted.threads == 4096 && counted.reason == "ONEFOLD_THREADS";
  });
}

TEST(thread_count_death_test, is_that_of_the_machine_where_the_variable_is_no_number_of_threads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* wrong : {"", "0", "-1", "many", "4097", "99999999999999999999"})
    expect_in_new_process(wrong, from_the_machine);
}

TEST(thread_count_death_test, of_many_more_threads_than_the_machine_has_gives_the_same_sum) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  expect_in_new_process("300", [](const thread_count&) {
    const std::vector<float> x(30'000'000, 0.5f);
    return sum(x) == 15'000'000.0f;
  });
}

}  // namespace
}  // namespace onefold::test
