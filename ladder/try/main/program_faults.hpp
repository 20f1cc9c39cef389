// SPDX-License-Identifier: Apache-2.0
#pragma once
// Signals of a program under `try --main`: a host's access to device memory is
// reported with its line, and every other crash is one line of the report instead of silence.

namespace onefold::ladder::learner {

/// From now on, for the running program of this process. A touch of memory that a launch may still
/// write is reported, and the program goes on; every other fault ends the process.
void report_faults();

/// While one lives, a kernel runs, and its faults are not the host's.
class running_kernel {
 public:
  running_kernel();
  running_kernel(const running_kernel&) = delete;
  running_kernel& operator=(const running_kernel&) = delete;
  ~running_kernel();
};

}  // namespace onefold::ladder::learner
