// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a host has to know of reduce/exact without its kernel.

#include <cstddef>

namespace onefold::ladder {

/// The long integer of double: 2^10 bits above one and 1074 below, in 32-bit digits; counters, a
/// ticket.
inline constexpr std::size_t exact_workspace_bytes = 1280;

/// Lanes of a block, at most: three sums of double and a tile need more than 64 registers.
inline constexpr unsigned exact_block = 512;

}  // namespace onefold::ladder
