// SPDX-License-Identifier: Apache-2.0
// What `onefold doctor` reports about this machine: CPU, SIMD targets, threads, floating-point
// environment, GPUs.
#include "onefold/machine.hpp"

#include <fstream>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/sound.hpp"
#include "cuda/engine.hpp"
#include "runtime/float_environment.hpp"
#include "runtime/threads.hpp"

namespace onefold {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

machine_facts describe_machine() {
  machine_facts facts;
  facts.cpu = cpu_model();
  facts.targets_compiled = cpu::compiled_target_names();
  for (const auto* table : cpu::tables()) facts.targets_supported.emplace_back(table->target);
  facts.target_active = cpu::active_table().target;
  facts.target_refused = cpu::refused_target();
  facts.threads = available_threads().threads;
  facts.threads_reason = available_threads().reason;
  facts.threads_backend = threads_backend();
  facts.callers_environment = describe_callers_environment();
  facts.arithmetic_sound = cpu::arithmetic_is_sound();
  const cuda::survey devices = cuda::find_devices();
  for (const auto& device : devices.devices)
    facts.gpus.push_back({device.name, device.memory_bytes});
  facts.gpu_why_none = devices.why_none;
  facts.cuda_driver = devices.driver;
  facts.cuda_runtime = devices.runtime;
  return facts;
}

status check_executor(const executor& executor) try {
  return executor.gpu() != nullptr ? cuda::check_device(*executor.gpu()) : status();
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
