// SPDX-License-Identifier: Apache-2.0
// Whether data in host memory are worth their way to a GPU: the rule of executor::automatic.
#pragma once

#include "onefold/plan.hpp"

namespace onefold {

/// What a request over data in host memory takes.
struct host_work {
  double bytes = 0;   ///< that a device would be sent
  double items = 0;   ///< elements
  double item_s = 0;  ///< seconds of one CPU thread an element, reading apart
  int threads = 1;
  friend bool operator==(const host_work&, const host_work&) = default;
};

/// Of a machine with a GPU; rates in bytes a second.
struct transfer_rates {
  double link = 0;     ///< from host memory to the device; 0: there is no device
  double memory = 0;   ///< what one CPU thread reads
  double start_s = 0;  ///< until the first byte is under way
};

/// Seconds of one CPU thread an element, of all families that the operators need.
double item_seconds(const op_list& what);

/// The work of a plan. items: of all pieces of which the plan is one, or 0.
host_work work_of(const plan& decided, std::int64_t items);

/// The rule: the CPU reads and computes at the same time, and takes the longer of the two; a device
/// takes its start and the copy, behind which its kernels hide. It pays where that is less. Where
/// the link is no faster than one thread reads, it pays only for operators that cost the CPU more
/// than reading. Never without a link.
bool pays_on_device(const host_work& work, const transfer_rates& rates) noexcept;

}  // namespace onefold
