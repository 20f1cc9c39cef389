// SPDX-License-Identifier: Apache-2.0
// Whether data in host memory are worth copying to a GPU: the cost model of executor::automatic.
#pragma once

#include "onefold/plan.hpp"

namespace onefold {

/// The work of a request over data in host memory.
struct host_work {
  double bytes = 0;   ///< to send to a device
  double items = 0;   ///< elements
  double item_s = 0;  ///< seconds of one CPU thread an element, without reading
  int threads = 1;
  friend bool operator==(const host_work&, const host_work&) = default;
};

/// Rates of a machine with a GPU, in bytes a second.
struct transfer_rates {
  double link = 0;     ///< from host memory to the device; 0: no device
  double memory = 0;   ///< reading by one CPU thread
  double start_s = 0;  ///< until the first byte is sent
};

/// Seconds of one CPU thread an element, summed over the accumulators that the operators need.
double item_seconds(const op_list& ops);

/// The work of a plan. items: the elements of all pieces where the plan is one of several; 0: of
/// the plan alone.
host_work work_of(const plan& plan, std::int64_t items);

/// The rule: the CPU overlaps reading and computing and takes the longer of the two. A device takes
/// its start-up time and the copy, which hides its kernels. The device pays where it takes less.
/// Where the link is no faster than one thread reads, it pays only for operators that cost the CPU
/// more than reading. Without a link it never pays.
bool pays_on_device(const host_work& work, const transfer_rates& rates) noexcept;

}  // namespace onefold
