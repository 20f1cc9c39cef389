// SPDX-License-Identifier: Apache-2.0
// Sums and means of rows by key, in device memory. A build without CUDA has it too (none.cpp).
#pragma once

#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/row_scatter.hpp"

namespace onefold::cuda {

/// Enqueues the work on the executor's stream and returns without waiting. Precondition: what is
/// written is not read. Fails: unsupported (no CUDA in this build, no device, host memory, too many
/// rows or answers), mismatch (data of several memories), out_of_memory, device_error.
status scatter(const executor::cuda& on, const row_scatter& request);

}  // namespace onefold::cuda
