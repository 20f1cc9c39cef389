// SPDX-License-Identifier: Apache-2.0
// The facts of the machine that the library detects, for `onefold doctor` and bug reports, and the
// engines that it offers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/plan.hpp"
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
  std::vector<std::string> targets_supported;  ///< the subset that this CPU runs
  std::string target_active;                   ///< the one in use
  std::string target_refused;                  ///< an unavailable ONEFOLD_SIMD value, or ""
  int threads = 1;                             ///< that a reduction may use
  std::string threads_reason;                  ///< "ONEFOLD_THREADS", "affinity", "cgroup quota"
  std::string threads_backend;                 ///< "oneTBB", "std::thread"
  std::string callers_environment;             ///< non-default floating-point settings, or ""
  bool arithmetic_sound = false;               ///< the known-answer check at first use
  std::vector<gpu_facts> gpus;                 ///< in the order of their numbers
  std::string gpu_why_none;                    ///< if there is none, the reason and the remedy
  std::string cuda_driver, cuda_runtime;       ///< versions, "13.0"; empty if there is no GPU
};

/// The facts of this process now. The first call runs the known-answer check of the arithmetic.
ONEFOLD_API machine_facts describe_machine();

/// Whether the engine of an executor can work here. Fails: unsupported (no CUDA in this
/// build, no driver, no device of that number).
ONEFOLD_API status check_executor(const executor& executor);

/// Where a plan over data in host memory runs: on a GPU if `executor` names one, or if it is
/// automatic and a GPU is expected to take less time than the CPU; otherwise on the CPU, and the
/// result is `executor` itself. Reads no element.
ONEFOLD_API executor choose_executor(const executor& executor, const plan& plan);

}  // namespace onefold
