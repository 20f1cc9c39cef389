// SPDX-License-Identifier: Apache-2.0
// The device of rows and of what is written for them.
#pragma once

#include <initializer_list>

#include "onefold/executor.hpp"

namespace onefold::cuda {

/// The device whose memory holds all arrays; null addresses are none. Throws error: unsupported (no
/// device, host memory), mismatch (memory of several devices, or not of the executor's).
int device_of_all(const executor::cuda& on, std::initializer_list<const void*> addresses);

}  // namespace onefold::cuda
