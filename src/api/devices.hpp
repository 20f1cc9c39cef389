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

/// As accumulate of api/accumulate.hpp, on the devices: each adds a range of the outermost axis to
/// states of its own, which are merged at the end. A request whose states have an order, in which
/// another axis steps further, or that is too small, is the first device's. Fails: as
/// cuda::accumulate, and as cuda::numbers_of.
status accumulate_on_devices(const executor::devices& devices, const reduction& reduction,
                             accumulation& into, std::int64_t before, std::int64_t all);

/// Takes a part of a request on a device.
using part_taker = std::function<status(const executor::cuda&, const reduction&)>;

/// Cuts a request of several answers into parts, each a range of memory on a device of its own, all
/// at once. Answers are cut along the kept axis of the longest stride: `reduce_part` writes
/// disjoint answers of the outputs of `whole`. Where a reduced axis steps further, or that kept
/// axis has fewer indices than there are devices, elements are cut, of states without an order:
/// `add_part` gets parts of answers, whose states merge. What cannot be cut, or is too small, is
/// `reduce_part` of `whole` on the first device. Fails: as the first part that fails, and as
/// cuda::numbers_of.
status divide_answers(const executor::devices& devices, const reduction& whole,
                      const part_taker& reduce_part, const part_taker& add_part);

}  // namespace onefold
