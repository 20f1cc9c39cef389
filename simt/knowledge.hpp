// SPDX-License-Identifier: Apache-2.0
#pragma once
// What comes before some point of a lane's life, as a value: two points are joined by maxima.
//
// Of the running block: every epoch before the frontier's, and in that epoch each lane up to a
// clock. Of finished blocks: what was released through atomics. The atomics on one address form a
// log, numbered in the order in which they happened; a point knows a prefix of it.

#include "simt/launch.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace onefold::simt {

/// One barrier interval of one block, numbered through all launches; 0 is "never".
using epoch = std::uint32_t;

/// A lane's place in its epoch: fences and __syncwarps since the last block barrier.
using lane_clock = std::uint32_t;

using warp_row = std::array<lane_clock, max_warp_lanes>;

void raise(warp_row& row, const warp_row& more);

/// An access, as far as order goes.
struct event {
  epoch when;
  std::uint16_t thread;
  lane_clock clock;
};

/// Lane t is covered up to, but not including, its clock in the epoch `when`.
struct frontier {
  struct warp_clocks {
    std::uint16_t warp;
    warp_row lanes;
  };

  epoch when = 0;
  std::vector<warp_clocks> warps;

  bool empty() const { return when == 0; }
  void clear();
  void join(std::uint16_t warp, const warp_row& lanes);
  /// A later frontier covers an earlier one of the same block.
  void join(const frontier& more);
  bool covers(std::uint16_t warp, unsigned lane, lane_clock clock) const;
};

/// A prefix of a log.
struct log_prefix {
  std::uint32_t log;
  std::uint32_t observed;  ///< atomics that come before
  std::uint32_t released;  ///< atomics of which also comes before what fences released to them
};

/// One prefix for each log, sorted.
class log_prefixes {
 public:
  bool empty() const { return prefixes_.empty(); }
  void clear() { prefixes_.clear(); }
  void join(const log_prefix& one);
  void join(const log_prefixes& more);
  log_prefix prefix_of(std::uint32_t log) const;

 private:
  std::vector<log_prefix> prefixes_;
};

struct knowledge {
  frontier block;
  log_prefixes logs;
  log_prefixes pending;  ///< released to it, but a device-wide fence is yet to come

  bool empty() const { return block.empty(); }
  void clear();
  void join(const knowledge& more);
};

}  // namespace onefold::simt
