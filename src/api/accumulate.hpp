// SPDX-License-Identifier: Apache-2.0
// Accumulates all elements of a request into states, with the engine that the executor names.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/engine.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/reduction.hpp"
#include "runtime/accumulation.hpp"

namespace onefold {

/// `before` of the caller's `all` elements are done already. Precondition: the plan reduces all
/// axes. Fails: as cpu::accumulate and cuda::accumulate.
status accumulate(const executor& executor, const reduction& reduction, accumulation& into,
                  std::int64_t before, std::int64_t all);

/// The accumulators as a device takes them; `count` gets the elements of one that is ordered.
std::vector<cuda::target> device_targets(accumulation& into, accuracy accuracy,
                                         std::int64_t& count);

}  // namespace onefold
