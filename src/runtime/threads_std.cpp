// SPDX-License-Identifier: Apache-2.0
// The backend of std::thread.
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/threads.hpp"

namespace onefold {

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
    int started = 1;
    try {
      others.reserve(std::size_t(tasks - 1));
      for (; started < tasks; ++started) others.emplace_back(run, started);
    } catch (const std::bad_alloc&) {
    } catch (const std::system_error&) {
    }
    run(0);
    for (int i = started; i < tasks; ++i) run(i);  // those whose threads could not start
  }
  if (first) std::rethrow_exception(first);
}

std::string_view threads_backend() noexcept {
  return "std::thread";
}

}  // namespace onefold
