// SPDX-License-Identifier: Apache-2.0
// Divides one answer's elements among several GPUs.
#pragma once

#include <cstdint>

#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"
#include "runtime/accumulation.hpp"

namespace onefold {

/// As accumulate of api/accumulate.hpp, on the devices: each adds a range of the elements to states
/// of its own, which are merged at the end. A request that cannot be divided, or is too small, is
/// the first device's. Fails: as cuda::accumulate, and as cuda::numbers_of.
status accumulate_on_devices(const executor::devices& devices, const reduction& reduction,
                             accumulation& into, std::int64_t before, std::int64_t all);

}  // namespace onefold
