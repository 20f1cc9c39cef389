// SPDX-License-Identifier: Apache-2.0
// The elements of an input, window by window.
#pragma once

#include <cstdint>
#include <functional>

#include "io/input.hpp"
#include "onefold/array_view.hpp"

namespace onefold::program {

/// Calls `take` for each window, in this machine's byte order; all but the last hold a multiple of
/// window_items, which keeps the bits of a fast sum. Returns the number of bytes read.
/// Throws failure.
std::uint64_t for_each_window(input& from, const request& request,
                              const std::function<void(const array_view&)>& take);

}  // namespace onefold::program
