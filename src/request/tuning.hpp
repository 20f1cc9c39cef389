// SPDX-License-Identifier: Apache-2.0
// The numbers that the planner and the CPU engine share. Exact answers depend on none of them.
#pragma once

#include <cstdint>

namespace onefold::tuning {

/// Elements of one piece of work. Part of the promise of fast sums: their tree is cut here.
inline constexpr std::int64_t chunk_items = std::int64_t(64) * 1024;

/// Of fast columns: rows that are summed apart, and such groups that are summed in turn before the
/// tree begins. Part of the same promise; a band gives each lane of a GPU a kilobyte or more to
/// read and a column of 2^20 rows a thousand lanes.
inline constexpr std::int64_t group_rows = 16, band_groups = 64;
inline constexpr std::int64_t band_rows = group_rows * band_groups;

/// Below this many bytes the calling thread works alone: waking a pool costs 5-20 us, which is
/// what one core needs to read 256 KiB.
inline constexpr std::int64_t alone_bytes = std::int64_t(512) * 1024;

/// Elements of one piece of work where answers are many, so that its overhead does not count.
inline constexpr std::int64_t block_items = std::int64_t(16) * 1024;

}  // namespace onefold::tuning
