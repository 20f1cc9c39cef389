// SPDX-License-Identifier: Apache-2.0
// The one door to threads: oneTBB, or std::thread where a tool misreads oneTBB.
#pragma once

#include <functional>
#include <string_view>

namespace onefold {

/// Runs task(0) … task(tasks - 1), each once, on up to that many threads; returns when all are
/// done. An exception of a task arrives here.
void run_tasks(int tasks, const std::function<void(int)>& task);

std::string_view threads_backend() noexcept;

}  // namespace onefold
