// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <nanobind/nanobind.h>

#include <chrono>
#include <future>
#include <thread>

namespace onefold::python {
namespace {

namespace nb = nanobind;

constexpr auto between_signals = std::chrono::milliseconds(20);

// The work has a thread of its own, because handlers of signals run on the thread that called.
status run_watched(const std::function<status(std::stop_token)>& work) {
  std::packaged_task<status(std::stop_token)> task(work);
  std::future<status> outcome = task.get_future();
  bool raised = false;
  {
    const nb::gil_scoped_release released;
    std::jthread worker(std::move(task));
    while (outcome.wait_for(between_signals) == std::future_status::timeout) {
      const nb::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() == 0) continue;
      worker.request_stop();
      raised = true;
      break;
    }
  }
  if (raised) throw nb::python_error();
  return outcome.get();
}

}  // namespace

void run_released(std::int64_t bytes, const std::function<status(std::stop_token)>& work) {
  if (bytes >= watched_bytes) return check(run_watched(work));
  status outcome;
  {
    const nb::gil_scoped_release released;
    outcome = work({});
  }
  check(outcome);
}

}  // namespace onefold::python
