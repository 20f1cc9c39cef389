// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu/threads.hpp"

namespace onefold::cpu {

void run_tasks(int tasks, const std::function<void(int)>& task) {
  std::mutex guard;
  std::exception_ptr first;
  const auto run = [&](int i) {
    try {
      task(i);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!first) first = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < tasks; ++i) others.emplace_back(run, i);
    run(0);
  }
  if (first) std::rethrow_exception(first);
}

std::string_view threads_backend() noexcept {
  return "std::thread";
}

}  // namespace onefold::cpu
