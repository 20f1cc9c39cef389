// SPDX-License-Identifier: Apache-2.0
// The elements of a regular file, read by the threads that reduce them.
//
// Each thread takes the next free window, reads it (pread, into its own buffer, which stays in its
// cache) and reduces it there. A single thread that copies from the page cache for all the others
// would be slower than the reduction. The windows are taken in the order of the file, so that the
// kernel's read-ahead works as for one reader.
#pragma once

#include <cstdint>
#include <functional>

#include "io/input.hpp"
#include "onefold/array_view.hpp"

namespace onefold::program {

/// Small enough for a second-level cache, large enough to amortise the cost of a window.
inline constexpr std::size_t file_window_bytes = 1 << 20;

/// Calls `take(worker, elements)` for each window, on `workers` threads (this one is worker 0), in
/// any order. Returns the number of bytes read. Precondition: from.stream.size_bytes() and
/// from.stored.items are known; workers > 0.
/// Throws failure: read errors, and what `take` throws.
std::uint64_t for_each_file_window(const input& from, const request& request, int workers,
                                   const std::function<void(int, const array_view&)>& take);

}  // namespace onefold::program
