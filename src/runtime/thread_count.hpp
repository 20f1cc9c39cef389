// SPDX-License-Identifier: Apache-2.0
// How many threads this process may use, and what limits them.
#pragma once

#include <string>

namespace onefold {

struct thread_count {
  int threads;
  std::string reason;  ///< "ONEFOLD_THREADS", "affinity", "cgroup quota"
};

/// ONEFOLD_THREADS if it is a positive number, else the smaller of the affinity mask and the
/// cgroup's CPU quota, rounded up. Read once, at first use.
const thread_count& available_threads();

}  // namespace onefold
