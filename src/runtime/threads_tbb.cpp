// SPDX-License-Identifier: Apache-2.0
// The backend of oneTBB.
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "runtime/threads.hpp"

namespace onefold {

void run_tasks(int tasks, const std::function<void(int)>& task) {
  // oneTBB prints a warning where an arena requests more threads than the machine has.
  tbb::task_arena arena(std::min(tasks, tbb::info::default_concurrency()));
  arena.execute([&] { tbb::parallel_for(0, tasks, task, tbb::static_partitioner{}); });
}

std::string_view threads_backend() noexcept {
  return "oneTBB";
}

}  // namespace onefold
