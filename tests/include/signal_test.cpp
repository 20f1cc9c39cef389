// SPDX-License-Identifier: Apache-2.0
// The accumulators of exact.hpp in a handler of an asynchronous signal: they allocate nothing, lock
// nothing and call nothing. The library's functions are not allowed there.
#include <gtest/gtest.h>
#include <sys/time.h>

#include <csignal>
#include <vector>

#include "onefold/exact.hpp"

namespace onefold::test {
namespace {

volatile std::sig_atomic_t handled = 0, wrong = 0;
exact_sum<double> shared;  // of the handler alone

// 1000 values nearest 0.1, and what cancels: a loop of additions gives 99.9999999999986.
extern "C" void sum_in_a_handler(int) {
  exact_sum<double> sum;
  exact_dot<double> dot;
  exact_moments<double> moments;
  sum.add(0x1p900), sum.add(-0x1p900);
  for (int i = 0; i < 1000; ++i) sum.add(0.1), dot.add(0.1, 3.0), moments.add(0.1);
  shared = exact_sum<double>();
  shared.merge(sum);
  if (shared.value() != 100.0 || sum.count() != 1002 || moments.mean() != 0.1 ||
      moments.variance() != 0.0 || dot.value() != 300.0)
    wrong = wrong + 1;
  handled = handled + 1;
}

struct handler_of_alarms {
  handler_of_alarms() {
    struct sigaction action = {};
    action.sa_handler = sum_in_a_handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, &before);
    handled = 0;
    wrong = 0;
  }
  ~handler_of_alarms() { sigaction(SIGALRM, &before, nullptr); }
  struct sigaction before = {};
};

TEST(exact_sum_in_a_signal_handler, is_right) {
  const handler_of_alarms alarms;
  for (int i = 0; i < 100; ++i) raise(SIGALRM);
  EXPECT_EQ(handled, 100);
  EXPECT_EQ(wrong, 0);
}

// The interrupted code is in malloc, in free or in a sum of its own.
TEST(exact_sum_in_a_signal_handler, disturbs_no_code_that_it_interrupts) {
  const handler_of_alarms alarms;
  const itimerval every_millisecond = {{0, 1000}, {0, 1000}}, never = {};
  setitimer(ITIMER_REAL, &every_millisecond, nullptr);
  int wrong_outside = 0;
  while (handled < 50) {
    exact_sum<double> sum;
    for (std::size_t n = 1; n <= 1000; ++n) sum.add(std::vector<double>(n % 50 + 1, 0.1)[0]);
    wrong_outside += sum.value() != 100.0;
  }
  setitimer(ITIMER_REAL, &never, nullptr);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(wrong_outside, 0);
}

}  // namespace
}  // namespace onefold::test
