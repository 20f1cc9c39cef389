// SPDX-License-Identifier: Apache-2.0
// Signal handling: SIGINT, SIGTERM and SIGHUP end the process at once with 130, whatever its
// threads do; SIGQUIT and SIGXCPU by their default action, with a core dump if one is enabled.
//
// The handler removes the temporary file, wipes the progress bar and calls _exit; all three are
// async-signal-safe. No result is printed before it is complete, so no partial output can remain.
#pragma once

#include <string>

namespace onefold::program {

/// Installs the handlers, and ignores SIGPIPE and SIGXFSZ: a closed reader and a file-size limit
/// appear as errors of write().
void watch_interrupts() noexcept;

/// Blocks the interrupts during its lifetime.
class interrupts_held {
 public:
  interrupts_held() noexcept;
  ~interrupts_held();
  interrupts_held(const interrupts_held&) = delete;
  interrupts_held& operator=(const interrupts_held&) = delete;
};

/// Sets the file that an interrupt removes; "" for none. Precondition: interrupts are held.
void remove_when_interrupted(const std::string& path) noexcept;

/// Sets whether a progress bar is on the terminal.
void progress_bar_stands(bool stands) noexcept;

}  // namespace onefold::program
