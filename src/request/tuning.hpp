// SPDX-License-Identifier: Apache-2.0
// The sizes that the planner and the CPU engine share. Exact answers do not depend on any of them.
#pragma once

#include <cstdint>

namespace onefold::tuning {

/// Elements of one chunk. Specified for fast sums: the leaves of their summation tree are chunks.
inline constexpr std::int64_t chunk_items = std::int64_t(64) * 1024;

/// Fast columns: the rows of a group, which is summed separately, and the groups of a band, which
/// are added one after another; the bands are the leaves of the tree. Specified too. A band gives
/// each lane of a GPU a kilobyte or more to read, and a column of 2^20 rows a thousand lanes.
inline constexpr std::int64_t group_rows = 16, band_groups = 64;
inline constexpr std::int64_t band_rows = group_rows * band_groups;

/// Below this many bytes the calling thread works alone: waking a thread pool takes 5-20 us, in
/// which one core reads 256 KiB.
inline constexpr std::int64_t alone_bytes = std::int64_t(512) * 1024;

/// Elements of one piece of work where there are many answers: large enough to amortise its
/// overhead.
inline constexpr std::int64_t block_items = std::int64_t(16) * 1024;

}  // namespace onefold::tuning
