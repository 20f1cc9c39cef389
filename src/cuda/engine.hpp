// SPDX-License-Identifier: Apache-2.0
// The CUDA engine: the elements of a request, to states. A build without CUDA has these functions
// too (none.cpp); they then say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"
#include "state/family.hpp"

namespace onefold::cuda {

/// A plan and the memory that it speaks of.
struct request {
  const plan& decided;
  const options& how;
  const void* x = nullptr;  ///< the first element in loop order
  const void* y = nullptr;  ///< of the second view; null where there is none
  std::int64_t before = 0;  ///< of the `all` elements of the caller's request, those done already
  std::int64_t all = 0;
};

/// A state that takes in the elements: one for each family of the plan's operators.
struct target {
  family what;
  any_state* into;
};

/// Adds the elements to the states, one launch a family; the host's memory is read once, in windows
/// that are copied while the one before is reduced. Returns when the states are complete.
/// Fails: unsupported (no CUDA in this build, no device, or what the engine does not serve),
/// mismatch (data of another device, or of two memories), out_of_memory, device_error, cancelled.
status accumulate(const executor::cuda& on, const request& of, std::span<const target> into);

/// Answers of rows and columns, rounded on the device: exact sums, means and norms of contiguous
/// elements in device memory to contiguous answers there. Returns nothing, and does nothing, where
/// the plan is another. Fails: out_of_memory, device_error, cancelled.
std::optional<status> reduce_many(const executor::cuda& on, const request& of,
                                  const output_view& to);

/// Whether the executor's device can be used. Fails: unsupported.
status check_device(const executor::cuda& on);

/// Whether an address is in device memory, which the host cannot read; no, in a build without CUDA.
bool lies_on_device(const void* address);

/// Copies from the host to device memory, behind what the stream holds, and waits.
/// Fails: device_error.
status copy_to_device(const executor::cuda& on, void* to, const void* from, std::size_t bytes);

struct device_facts {
  std::string name;
  std::size_t memory_bytes = 0;
};

/// The remedy of a request that the engine does not serve.
inline constexpr const char* use_the_cpu =
    "; the CPU does (executor::cpu, --device cpu), with the data in host memory";

/// What `onefold doctor` tells.
struct survey {
  std::string why_none;         ///< a sentence with the remedy where there is no device
  std::string driver, runtime;  ///< versions, "13.0"
  std::vector<device_facts> devices;
};
survey find_devices();

}  // namespace onefold::cuda
