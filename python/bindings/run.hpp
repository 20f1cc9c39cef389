// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the library's work without the interpreter's lock, and lets Ctrl-C stop it.

#include <cstdint>
#include <functional>
#include <stop_token>

#include <onefold/status.hpp>

#include "errors.hpp"

namespace onefold::python {

constexpr std::int64_t released_bytes = 64 << 10, watched_bytes = 16 << 20;

/// The part of run() for data that are not short.
void run_released(std::int64_t bytes, const std::function<status(std::stop_token)>& work);

/// Runs `work` over data of `bytes` bytes. From 64 KiB on other Python threads run meanwhile; from
/// 16 MiB on signal handlers run every 20 ms, and an exception of theirs (KeyboardInterrupt) stops
/// the work through the token and is raised once it has stopped.
/// Fails: the status of `work`, as an exception.
template <class Work>
void run(std::int64_t bytes, const Work& work) {
  if (bytes < released_bytes) return check(work(std::stop_token()));
  run_released(bytes, work);
}

}  // namespace onefold::python
