// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one warp request costs the memory of a Hopper GPU: pure functions of the addresses.
//
// Shared memory: 32 banks of 4 bytes. A request is served in phases of 128 bytes, that is of 32,
// 16 or 8 lanes for elements of up to 4, 8 or 16 bytes. In a phase every bank delivers one word
// per wavefront, and lanes that want the same word share it:
//   wavefronts(phase) = max over banks of distinct 4-byte words;   conflicts = wavefronts - phases.
// Atomics on one word wait for each other: wavefronts(phase) = max over banks of lanes.
// Global memory: sectors of 32 bytes in lines of 128; a request costs its distinct sectors.
// A phase without an active lane costs nothing. Caches are outside the model.

#include "simt/launch.hpp"

#include <array>

namespace onefold::simt {

inline constexpr unsigned banks = 32;
inline constexpr unsigned bank_bytes = 4;
inline constexpr unsigned sector_bytes = 32;
inline constexpr unsigned line_bytes = 128;

/// The lanes of a warp that execute one access together.
struct lane_addresses {
  std::uint32_t lanes = 0;                           ///< bit per active lane
  unsigned size_bytes = 0;                           ///< of each lane's access
  std::array<std::uint32_t, max_warp_lanes> offset;  ///< the arena and the window fit
};

struct shared_cost {
  unsigned wavefronts = 0;
  unsigned phases = 0;  ///< the wavefronts of a request without conflicts
  unsigned ways = 0;    ///< wavefronts of its worst phase
};

struct global_cost {
  unsigned sectors = 0;
  unsigned lines = 0;
};

shared_cost cost_in_shared_memory(const lane_addresses& request);
/// Of atomics each lane's update takes a wavefront of its own in its bank, also on one word.
shared_cost cost_of_shared_atomics(const lane_addresses& request);
global_cost cost_in_global_memory(const lane_addresses& request);

}  // namespace onefold::simt
