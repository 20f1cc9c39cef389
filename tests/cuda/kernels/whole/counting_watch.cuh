// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counts which ways tiles went.

#include "cuda/primitives/warp.cuh"
#include "exact_kernels.hpp"

namespace onefold::test {

struct counting_watch {
  way_counts* counts;
  ONEFOLD_DEVICE void add(unsigned long long& to, int by) const {
    if (cuda::lane_index() == 0 && by != 0) atomicAdd(&to, static_cast<unsigned long long>(by));
  }
  ONEFOLD_DEVICE void fast_tile() const { add(counts->fast_tiles, 1); }
  ONEFOLD_DEVICE void wide_tile() const { add(counts->wide_tiles, 1); }
  ONEFOLD_DEVICE void moved_window() const { add(counts->moved_windows, 1); }
  ONEFOLD_DEVICE void slow_windows(int windows) const {
    add(counts->slow_ranges, 1), add(counts->windows, windows);
  }
  ONEFOLD_DEVICE void binned_range() const { add(counts->binned_ranges, 1); }
};

}  // namespace onefold::test
