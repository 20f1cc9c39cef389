// SPDX-License-Identifier: Apache-2.0
// The memory of exact sums over ten million keys: below 1 GiB, keys, values and answers among it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::test {
namespace {

constexpr std::int64_t groups_wanted = 10'000'000;
constexpr long mebibyte = 1024;  // ru_maxrss counts KiB

// Every key once, in an order that looks like none: multiplying by an odd number is a permutation
// of the 64-bit numbers.
std::vector<std::uint64_t> scattered_keys() {
  std::vector<std::uint64_t> keys(groups_wanted);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = (i + 1) * 0x9E3779B97F4A7C15u;
  return keys;
}

// Exit status 0: the sums are right.
int sum_in_child() {
  const auto keys = scattered_keys();
  std::vector<double> x(keys.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.5 * double(keys[i] >> 12);
  std::vector<std::uint64_t> found;
  std::vector<double> sums;
  const auto make = [&](std::int64_t groups) -> group_outputs {
    found.resize(std::size_t(groups)), sums.resize(std::size_t(groups));
    return {found.data(), {sums.data(), dtype::f64, {{groups, 8}}}};
  };
  if (!reduce_by_key(executor::cpu{2}, op::sum, keys, x, make)) return 1;
  if (found.size() != keys.size()) return 2;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i] <= found[i - 1]) return 3;
    if (sums[i] != 1.5 * double(found[i] >> 12)) return 4;
  }
  return 0;
}

TEST(keys_memory, of_ten_million_groups_stays_below_one_gibibyte) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's shadow is memory too";
#endif
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(sum_in_child());
  int status = 0;
  rusage used{};
  ASSERT_EQ(wait4(child, &status, 0, &used), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const long input = 2 * 8 * groups_wanted / 1024;
  std::printf("  %ld MiB at most, %ld of them the input\n", used.ru_maxrss / mebibyte,
              input / mebibyte);
  EXPECT_LT(used.ru_maxrss, 1024 * mebibyte);
}

}  // namespace
}  // namespace onefold::test
