// SPDX-License-Identifier: Apache-2.0
// The elements of a regular file, read by the threads that reduce them.
//
// Each thread takes the next window that nobody has, reads it (pread, into a buffer of its own that
// stays in its cache) and reduces it there: a copy from the page cache by one thread, which all the
// others wait for, is slower than a reduction. The windows are taken in the order of the file, so
// that the kernel's read-ahead sees one reader.
#pragma once

#include <cstdint>
#include <functional>

#include "io/input.hpp"
#include "onefold/array_view.hpp"

namespace onefold::program {

/// Small enough for a core's cache of the second level, large enough for what a window costs.
inline constexpr std::size_t file_window_bytes = 1 << 20;

/// Calls `take(worker, elements)` for each window, on `workers` threads (this one is worker 0), in
/// no order. Returns the bytes that were read. Precondition: from.stream.size_bytes() and
/// from.stored.items are known; workers > 0.
/// Throws failure: what reading says, and what `take` throws.
std::uint64_t for_each_file_window(const input& from, const request& asked, int workers,
                                   const std::function<void(int, const array_view&)>& take);

}  // namespace onefold::program
