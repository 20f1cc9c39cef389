// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP: the process ends at once with 130, whatever its threads are doing.
// SIGQUIT and SIGXCPU: it ends as they would have ended it, with a core where one is wanted.
//
// The handler does the three things that must not be left undone (remove the temporary file,
// wipe the progress bar, _exit) and no more; all are async-signal-safe. No result is printed
// before it is complete, so nothing partial can be left behind.
#pragma once

#include <string>

namespace onefold::program {

/// Installs the handlers, and takes SIGPIPE and SIGXFSZ away: a reader that has gone and a file
/// that may not become larger show as errors of write().
void watch_interrupts() noexcept;

/// Holds the interrupts back for as long as it lives.
class interrupts_held {
 public:
  interrupts_held() noexcept;
  ~interrupts_held();
  interrupts_held(const interrupts_held&) = delete;
  interrupts_held& operator=(const interrupts_held&) = delete;
};

/// The file that an interrupt removes; "" for none. Precondition: interrupts are held.
void remove_when_interrupted(const std::string& path) noexcept;

/// Whether a progress bar stands on the terminal.
void progress_bar_stands(bool stands) noexcept;

}  // namespace onefold::program
