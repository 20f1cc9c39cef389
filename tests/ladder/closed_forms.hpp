// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the rungs must cost, from their texts, for 4-byte elements, warps of 32 and whole warps:
// block a power of two >= 32.
//
// Notation: B lanes in W = B / 32 warps, L = log2 B steps, G blocks. Every step has one load of
// each of two operands and one store, by the lanes that work.
//   modulo      distance s: lanes 0, 2s, 4s, ... in min(W, B / 2s) warps, which all diverge; no two
//               of a warp's words share a bank
//   strided     distance s: lanes 0 .. B/2s - 1, so ceil(B / 2s / 32) warps; the last of them
//               diverges if it is not full, which is so for B / 2s < 32; words lie 2s apart:
//               32 lanes need min(2s, 32) wavefronts, fewer lanes as many as share the fullest
//               bank; either way the step needs min(W, B / 2s), the same as modulo
//   sequential  distance s: lanes 0 .. s - 1, ceil(s / 32) warps, diverging for s < 32
//   first-add   the same tree over half the blocks
// Around the tree: W stores, one load and one divergent branch by lane 0. The guard of a load
// diverges in the one warp that the end of the array cuts.

#include "simt/counts.hpp"

#include <algorithm>
#include <string_view>

namespace onefold::ladder::test {

inline constexpr unsigned warp = 32;

struct step_cost {
  std::uint64_t warps, wavefronts, divergent;
};

inline step_cost step_of(std::string_view rung, unsigned block, unsigned s) {
  const unsigned warps = block / warp;
  const unsigned pairs = block / (2 * s);
  if (rung == "reduce/modulo") {
    const unsigned active = std::min(warps, pairs);
    return {active, active, active};
  }
  if (rung == "reduce/strided") {
    return {(pairs + warp - 1) / warp, std::min(warps, pairs), pairs < warp};
  }
  const unsigned active = (s + warp - 1) / warp;
  return {active, active, s < warp};
}

inline unsigned worst_ways(std::string_view rung, unsigned block) {
  // At distance s = B / 64 a full warp has stride 2s = B / 32; wider strides have fewer lanes.
  return rung == "reduce/strided" ? block / warp : 1;
}

inline std::uint64_t blocks_of(std::string_view rung, std::size_t n, unsigned block) {
  const std::size_t covered = rung == "reduce/first-add" ? 2 * std::size_t{block} : block;
  return std::max<std::size_t>(1, (n + covered - 1) / covered);
}

inline simt::counts closed_form(std::string_view rung, std::size_t n, unsigned block) {
  const std::uint64_t grid = blocks_of(rung, n, block);
  const std::uint64_t warps = block / warp;
  std::uint64_t tree_requests = 0, tree_wavefronts = 0, divergent = 1, steps = 0;
  for (unsigned s = 1; s < block; s *= 2, ++steps) {
    const step_cost step = step_of(rung, block, s);
    tree_requests += step.warps;
    tree_wavefronts += step.wavefronts;
    divergent += step.divergent;
  }
  const unsigned ways = worst_ways(rung, block);
  simt::counts c;
  c.shared_load = {grid * (2 * tree_requests + 1), grid * (2 * tree_wavefronts + 1),
                   grid * 2 * (tree_wavefronts - tree_requests), ways};
  c.shared_store = {grid * (warps + tree_requests), grid * (warps + tree_wavefronts),
                    grid * (tree_wavefronts - tree_requests), ways};
  c.global_load = {(n + 31) / 32, (n + 7) / 8, (n + 31) / 32};
  c.global_store = {grid, grid, grid};
  c.divergent_branches = grid * divergent + (n % warp != 0);
  c.barriers = grid * (1 + steps) * warps;
  return c;
}

}  // namespace onefold::ladder::test
