// SPDX-License-Identifier: Apache-2.0
// The only interface to threads: oneTBB, or std::thread where a tool misreads oneTBB.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace onefold {

/// Runs each of task(0) … task(tasks - 1) once, on up to that many threads; returns when all are
/// done. Rethrows an exception of a task.
void run_tasks(int tasks, const std::function<void(int)>& task);

std::string_view threads_backend() noexcept;

struct thread_count {
  int threads;
  std::string reason;  ///< "ONEFOLD_THREADS", "affinity", "cgroup quota"
};

/// ONEFOLD_THREADS if it is a positive number, else the smaller of the affinity mask and the
/// cgroup's CPU quota, rounded up. Read once, at first use.
const thread_count& available_threads();

}  // namespace onefold
