// SPDX-License-Identifier: Apache-2.0
// Devices as all of the library queries them: no CUDA types. A build without CUDA has the same
// functions (none.cpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "onefold/executor.hpp"
#include "onefold/status.hpp"

namespace onefold::cuda {

/// Whether the executor's device can be used. Fails: unsupported.
status check_device(const executor::cuda& on);

/// The numbers of the devices that the executor names, or of all. Fails: unsupported (no device, or
/// no such device), usage (one of them twice).
result<std::vector<int>> numbers_of(const executor::devices& devices);

/// Whether an address is in device memory, which the host cannot read; false in a build without
/// CUDA.
bool lies_on_device(const void* address);

/// Whether the executor's stream is being captured into a graph; false where that cannot be
/// queried.
bool is_capturing(const executor::cuda& on);

/// Copies from the host to device memory, in stream order, and waits. Fails: device_error.
status copy_to_device(const executor::cuda& on, void* to, const void* from, std::size_t bytes);

struct device_facts {
  std::string name;
  std::size_t memory_bytes = 0;
};

/// The remedy in the message of a request that the engine does not support.
inline constexpr const char* use_the_cpu =
    "; the CPU does (executor::cpu, --device cpu), with the data in host memory";

/// What `onefold doctor` reports.
struct survey {
  std::string why_none;         ///< a sentence with the remedy; empty where there is a device
  std::string driver, runtime;  ///< versions, "13.0"
  std::vector<device_facts> devices;
};
survey find_devices();

}  // namespace onefold::cuda
