// SPDX-License-Identifier: Apache-2.0
// What is known about GPUs without initialising the driver, for requests that name no engine.
#pragma once

#include "request/place.hpp"

namespace onefold::cuda {

/// Whether an address is in device or managed memory; false where this process has not started
/// CUDA, and so has none. Cheap on a machine without a driver. Does not fail.
bool driver_has_on_device(const void* address) noexcept;

/// The cost of sending host data to a GPU; a link rate of 0 where there is no driver.
transfer_rates host_transfer() noexcept;

}  // namespace onefold::cuda
