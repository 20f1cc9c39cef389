// SPDX-License-Identifier: Apache-2.0
// A second user of libhwy in the process: our choice of SIMD targets does not touch that user's.
// Each test is about the first call in a process, so each runs in a process of its own under ctest.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/targets_test.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace onefold::test {
namespace HWY_NAMESPACE {

// NOLINTNEXTLINE(misc-use-internal-linkage): HWY_EXPORT names it
std::int64_t target_of_loop() {
  return HWY_TARGET;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::test
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "cpu/kernels/targets.hpp"
#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

HWY_EXPORT(target_of_loop);

std::int64_t others_target() {
  return HWY_DYNAMIC_DISPATCH(target_of_loop)();
}

// The true sum of a hundred doubles nearest 0.1, rounded once.
void expect_a_right_sum() {
  const std::vector<double> x(100, 0.1);
  EXPECT_EQ(sum(x), 10.0);
}

TEST(another_user_of_highway, sees_no_other_targets_during_the_first_call) {
  std::set<std::int64_t> seen;
  std::atomic<bool> started = false, stop = false;
  std::thread other([&] {
    do seen.insert(hwy::SupportedTargets()), started = true;
    while (!stop);
  });
  while (!started) std::this_thread::yield();
  expect_a_right_sum();
  stop = true;
  other.join();
  EXPECT_EQ(seen.size(), 1u);
}

TEST(another_user_of_highway, has_not_chosen_after_our_first_call) {
  if (hwy::GetChosenTarget().IsInitialized()) GTEST_SKIP() << "not the first call of the process";
  expect_a_right_sum();
  EXPECT_FALSE(hwy::GetChosenTarget().IsInitialized());
}

TEST(another_user_of_highway, keeps_the_targets_it_set) {
  hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
  EXPECT_EQ(others_target(), HWY_STATIC_TARGET);
  expect_a_right_sum();
  EXPECT_EQ(hwy::SupportedTargets(), HWY_STATIC_TARGET);
  EXPECT_EQ(others_target(), HWY_STATIC_TARGET);
  hwy::SetSupportedTargetsForTest(0);
}

TEST(another_user_of_highway, keeps_a_target_disabled) {
  const std::int64_t best = others_target();
  hwy::DisableTargets(best);
  const std::int64_t second = others_target();
  expect_a_right_sum();
  EXPECT_EQ(others_target(), second);
  hwy::DisableTargets(0);
}

TEST(another_user_of_highway, can_leave_none_of_our_targets) {
  const std::int64_t not_ours = ~cpu::compiled_targets() & INT64_MAX;
  hwy::SetSupportedTargetsForTest(not_ours & -not_ours);
  ASSERT_FALSE(cpu::tables().empty());
  expect_a_right_sum();
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace onefold::test
#endif
