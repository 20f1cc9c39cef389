// SPDX-License-Identifier: Apache-2.0
// All elements of a request to states, by the engine that the executor names.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/engine.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"
#include "runtime/accumulation.hpp"

namespace onefold {

/// Of the `all` elements of the request `before` are done already. Precondition: the plan reduces
/// all axes. Fails: as cpu::accumulate and cuda::accumulate.
status accumulate(const executor& on, const reduction& of, accumulation& into, std::int64_t before,
                  std::int64_t all);

/// The families of an accumulation for a device; `taken` counts for one of them that has an order.
std::vector<cuda::target> device_targets(accumulation& into, accuracy how,
                                         cuda::elements_taken& taken);

}  // namespace onefold
