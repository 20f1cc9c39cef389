// SPDX-License-Identifier: Apache-2.0
// How many blocks a grid has, whose words are added up or whose warps take one step of rows after
// another.
#pragma once

#include <algorithm>
#include <cstdint>

namespace onefold::cuda {

/// Blocks of a grid whose words are added up (grid.cuh), at most: 12 bits of a word count them, and
/// 52 are left for its sum.
inline constexpr unsigned most_grid_blocks = 4095;

/// Steps that a warp takes, where there are as many (measured: docs/performance/gpu-rows.md).
inline constexpr int light_steps = 4;      ///< little is computed
inline constexpr int usual_steps = 8;      ///< more is, as for the end of a row
inline constexpr int heavy_steps = 12;     ///< much is, or much before the first step
inline constexpr int all_steps = 1 << 30;  ///< no more blocks than run at once

/// Blocks begin in the order of their steps: the more of them, the closer together lies what is
/// read at one time, as memory prefers, but each waits for its first step. So a grid is about as
/// many times as many blocks as run at once, `each` on a multiprocessor, that a warp takes `steps`
/// steps. blocks: as many as have one step for each warp.
inline unsigned grid_of_steps(std::int64_t blocks, unsigned multiprocessors, int each, int steps) {
  constexpr std::int64_t most = (std::int64_t(1) << 31) - 1;
  const std::int64_t at_once = std::max<std::int64_t>(std::int64_t(multiprocessors) * each, 1);
  const std::int64_t for_a_turn = at_once * steps;
  const std::int64_t turns = (blocks + for_a_turn / 2) / for_a_turn;
  return unsigned(std::clamp<std::int64_t>(
      blocks, 1, std::min(at_once * std::max<std::int64_t>(turns, 1), most)));
}

}  // namespace onefold::cuda
