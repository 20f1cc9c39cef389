// SPDX-License-Identifier: Apache-2.0
// Groups of equal keys, on a device.
#pragma once

#include <cstdint>
#include <functional>

#include "cuda/plan/request.hpp"
#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/groups.hpp"
#include "onefold/status.hpp"

namespace onefold::cuda {

/// Returns outputs for so many groups.
using outputs_maker = std::function<result<group_outputs>(std::int64_t)>;

/// Reduces each group of equal keys, as segments; keys that do not ascend are sorted together with
/// copies of their elements. Keys, elements and groups are in device memory. Fails: as
/// reduce_segments, as `make`, unsupported (more than 2^32 keys that do not ascend).
status reduce_by_key(const executor::cuda& on, const request& request, const array_view& keys,
                     const outputs_maker& make);

}  // namespace onefold::cuda
