// SPDX-License-Identifier: Apache-2.0
// The number of threads from ONEFOLD_THREADS, the affinity mask and the cgroup quota.
#include "runtime/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace onefold {
namespace {

constexpr int most_threads = 4096;

int affinity_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  const unsigned hardware = std::thread::hardware_concurrency();
  return hardware > 0 ? int(hardware) : 1;
}

// cgroup v2: "max 100000" or "150000 100000" in one file; v1: one number in each of two files, -1
// for no quota.
int quota_threads() {
  long long quota = 0, period = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) v2 >> quota >> period;
  if (period <= 0) {
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return most_threads;
  const long long threads = quota / period + (quota % period != 0);
  return int(std::min<long long>(threads, most_threads));
}

thread_count count_threads() {
  if (const char* text = std::getenv("ONEFOLD_THREADS")) {
    const long threads = std::strtol(text, nullptr, 10);
    if (threads >= 1 && threads <= most_threads) return {int(threads), "ONEFOLD_THREADS"};
  }
  const int affinity = affinity_threads(), quota = quota_threads();
  if (quota < affinity) return {quota < 1 ? 1 : quota, "cgroup quota"};
  return {affinity, "affinity"};
}

}  // namespace

const thread_count& available_threads() {
  static const thread_count counted = count_threads();
  return counted;
}

}  // namespace onefold
