// SPDX-License-Identifier: Apache-2.0
// Divides one answer's elements, or the answers of a request, among several GPUs.
#pragma once

#include <cstdint>
#include <functional>

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

/// Calls `reduce_part` for ranges of the answers, each on a device of its own, all at once: the
/// answers are cut along the kept axis of the longest stride, so that each device reads a range of
/// memory. A request whose reduced axes step further than every kept one, or that is too small, is
/// the first device's as a whole. The parts write disjoint answers of the outputs of `whole`.
/// Fails: as the first part that fails, and as cuda::numbers_of.
status
divide_answers(const executor::devices& devices, const reduction& whole,
               const std::function<status(const executor::cuda&, const reduction&)>& reduce_part);

}  // namespace onefold
