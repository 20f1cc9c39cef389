// SPDX-License-Identifier: Apache-2.0
#pragma once
// What finished blocks left for later ones: the device-wide releases of a launch.
//
// A release is an atomic, entry `index` of its log, by a lane for which device-wide fences cover
// its block up to a frontier. A lane of a later block comes after whatever the frontier covers if
// of that log more than `index` entries are released to it.

#include "simt/knowledge.hpp"

#include <algorithm>

namespace onefold::simt {

/// A way to come after an event of a finished block: more than `index` entries of a log must be
/// observed, or released.
struct way {
  std::uint32_t log;
  std::uint32_t index;
  bool observed;

  /// Whether to have gone this way is to have gone the other one.
  bool implies(const way& other) const {
    return log == other.log && index >= other.index && (other.observed || !observed);
  }
};

class releases {
 public:
  static constexpr std::uint32_t no_log = ~std::uint32_t{0};

  void clear();
  bool empty() const { return records_.empty(); }

  /// By a lane of the block that began at `block`.
  void add(std::uint32_t log, std::uint32_t index, epoch block, const frontier& covered);

  bool any_of_block(epoch when) const { return of_block(when).first != of_block(when).second; }

  /// The first release of every log that covers the event.
  std::vector<way> ways_after(const event& e) const;

  /// Whether gone(log, index) holds for a release that covers the event.
  template <class Gone>
  bool reached(const event& e, Gone&& gone) const {
    const auto [first, last] = of_block(e.when);
    return std::any_of(first, last, [&](const record& r) {
      return covers(r, e) && gone(way{r.log, r.index, false});
    });
  }

  void set_warp_lanes(unsigned lanes) { warp_lanes_ = lanes; }

 private:
  struct record {
    epoch block;
    epoch when;
    std::uint32_t first_run, runs;
    std::uint32_t log, index;
  };
  using record_at = std::vector<record>::const_iterator;

  /// Lanes [first, last] of a block, covered up to one clock.
  struct clock_run {
    std::uint16_t first, last;
    lane_clock clock;
  };

  std::pair<record_at, record_at> of_block(epoch when) const;
  void append_run(std::uint32_t first_run, std::uint16_t thread, lane_clock clock);
  bool covers(const record& r, const event& e) const;

  std::vector<record> records_;  ///< in order of time, so of blocks
  std::vector<clock_run> runs_;  ///< of all records
  unsigned warp_lanes_ = max_warp_lanes;
};

}  // namespace onefold::simt
