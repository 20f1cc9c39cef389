// SPDX-License-Identifier: Apache-2.0
// What can be known of a GPU without starting its driver: for requests that name no engine.
#pragma once

#include "request/place.hpp"

namespace onefold::cuda {

/// Whether an address is in device or managed memory; no where this process has not started CUDA,
/// and so has none. Costs nothing on a machine without a driver. Error: none.
bool driver_has_on_device(const void* address) noexcept;

/// What sending data of the host to a GPU would take; a link of 0 where there is no driver.
transfer_rates host_transfer() noexcept;

}  // namespace onefold::cuda
