// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a host has to know of reduce/exact without its kernel.

#include <cstddef>

namespace onefold::ladder {

/// The long integer of double: 2^10 bits above one and 1074 below, in 32-bit digits; counters, a
/// ticket.
inline constexpr std::size_t exact_workspace_bytes = 1280;

/// Blocks of the sums whose partials are pairs, at most, and the pairs' room; then the word that
/// says whether they have decided the answer, the integers' workspace, and the exact kernel's.
inline constexpr unsigned most_pairs = 1024;
inline constexpr std::size_t pairs_bytes = most_pairs * 2 * sizeof(double);
inline constexpr std::size_t decided_at = pairs_bytes, integers_at = decided_at + 64;
inline constexpr std::size_t exact_at = integers_at + 64;
inline constexpr std::size_t fallback_workspace_bytes = exact_at + exact_workspace_bytes;

/// Lanes of a block of the exact kernel, and blocks, at most.
inline constexpr unsigned exact_block = 256, most_exact_blocks = 4095;

}  // namespace onefold::ladder
