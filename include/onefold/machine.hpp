// SPDX-License-Identifier: Apache-2.0
// What the library sees of the machine it runs on; for `onefold doctor` and bug reports.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// A GPU that executor::cuda can name.
struct gpu_facts {
  std::string name;
  std::size_t memory_bytes = 0;
};

struct machine_facts {
  std::string cpu;                             ///< the model's name
  std::vector<std::string> targets_compiled;   ///< SIMD targets of this build, best first
  std::vector<std::string> targets_supported;  ///< those of them that this CPU runs
  std::string target_active;                   ///< the one in use
  std::string target_refused;                  ///< what ONEFOLD_SIMD asked for in vain, or ""
  int threads = 1;                             ///< that a reduction may use
  std::string threads_reason;                  ///< "ONEFOLD_THREADS", "affinity", "cgroup quota"
  std::string threads_backend;                 ///< "oneTBB", "std::thread"
  std::string callers_environment;             ///< how the caller's floating point differs, or ""
  bool arithmetic_sound = false;               ///< the known-answer check at first use
  std::vector<gpu_facts> gpus;                 ///< in the order of their numbers
  std::string gpu_why_none;                    ///< where there is none, the reason and the remedy
  std::string cuda_driver, cuda_runtime;       ///< versions, "13.0"; empty where there is no GPU
};

/// What this process sees now. The first call runs the known-answer check of the arithmetic.
ONEFOLD_API machine_facts describe_machine();

/// Whether the engine that an executor names can work here. Fails: unsupported (no CUDA in this
/// build, no driver, no device of that number).
ONEFOLD_API status check_executor(const executor& on);

}  // namespace onefold
