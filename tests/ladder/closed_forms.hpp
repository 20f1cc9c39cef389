// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the reduce rungs must cost, from their texts, for sums of ints, warps of 32, whole warps
// (block a power of two >= 32), the default grid limit of 1024 and partials folded by the host.
//
// Notation: B lanes in W = B / 32 warps, L = log2 B steps, G blocks. Every step has one load of
// each of two operands and one store, by the lanes that work.
//   modulo      distance s: lanes 0, 2s, 4s, ... in min(W, B / 2s) warps, which all diverge; no two
//   mask        of a warp's words share a bank
//   strided     distance s: lanes 0 .. B/2s - 1, so ceil(B / 2s / 32) warps; the last of them
//               diverges if it is not full, which is so for B / 2s < 32; words lie 2s apart:
//               32 lanes need min(2s, 32) wavefronts, fewer lanes as many as share the fullest
//               bank; either way the step needs min(W, B / 2s), the same as modulo
//   others      distance s: lanes 0 .. s - 1, ceil(s / 32) warps, diverging for s < 32
// Around the tree: W stores, one load and one divergent branch by lane 0. From last-warp on the
// steps of distance 32 and less have a __syncwarp() of one warp in place of a barrier of W.
//
// Whatever the rung, every 32 elements are one load request, and the guard of a load diverges in
// the one warp that the end of the array cuts; vector loads are told apart below.

#include "simt/counts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>

namespace onefold::ladder::test {

using amount = std::uint64_t;

inline constexpr unsigned warp = 32;
inline constexpr amount most_blocks = 1024;

inline amount ceil_div(amount a, amount b) {
  return (a + b - 1) / b;
}

inline bool is_one_of(std::string_view rung, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), rung) != names.end();
}

inline bool has_grid_stride(std::string_view rung) {
  return is_one_of(rung, {"reduce/cascading", "reduce/two-stage", "reduce/shuffle", "reduce/vector",
                          "reduce/one-launch", "reduce/redux", "reduce/async-copy",
                          "reduce/bulk-copy", "reduce/cluster", "reduce/dependent-launch"});
}

inline amount blocks_of(std::string_view rung, std::size_t n, unsigned block) {
  if (has_grid_stride(rung)) return std::clamp<amount>(ceil_div(n, 16 * block), 1, most_blocks);
  const bool two = is_one_of(rung, {"reduce/first-add", "reduce/last-warp", "reduce/unrolled"});
  return std::max<amount>(1, ceil_div(n, (two ? 2 : 1) * amount{block}));
}

// Global memory, one request for 32 neighbours of 4 bytes.

inline simt::global_counts neighbours(amount n) {
  return {ceil_div(n, 32), ceil_div(n, 8), ceil_div(n, 32)};
}

inline simt::global_counts operator*(amount times, const simt::global_counts& c) {
  return {times * c.requests, times * c.sectors, times * c.lines};
}

inline simt::global_counts one_word_each(amount requests) {
  return {requests, requests, requests};
}

// A tree in shared memory.

struct step_cost {
  amount warps, wavefronts, divergent;
};

inline step_cost step_of(std::string_view rung, unsigned block, unsigned s) {
  const unsigned warps = block / warp;
  const unsigned pairs = block / (2 * s);
  if (is_one_of(rung, {"reduce/modulo", "reduce/mask"})) {
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

/// Of the whole grid, the write of the partial included.
inline simt::counts tree_cost(std::string_view rung, amount grid, unsigned block) {
  const amount warps = block / warp;
  amount requests = 0, wavefronts = 0, divergent = 1;
  for (unsigned s = 1; s < block; s *= 2) {
    const step_cost step = step_of(rung, block, s);
    requests += step.warps;
    wavefronts += step.wavefronts;
    divergent += step.divergent;
  }
  const amount steps = std::countr_zero(block);
  const bool one_warp_ends = is_one_of(
      rung, {"reduce/last-warp", "reduce/unrolled", "reduce/cascading", "reduce/two-stage"});
  const amount by_a_warp = one_warp_ends ? std::min<amount>(steps, 6) : 0;
  const unsigned ways = worst_ways(rung, block);
  simt::counts c;
  c.shared_load = {grid * (2 * requests + 1), grid * (2 * wavefronts + 1),
                   grid * 2 * (wavefronts - requests), ways};
  c.shared_store = {grid * (warps + requests), grid * (warps + wavefronts),
                    grid * (wavefronts - requests), ways};
  c.global_store = one_word_each(grid);
  c.divergent_branches = grid * divergent;
  c.barriers = grid * (1 + steps - by_a_warp) * warps;
  c.syncwarps = grid * by_a_warp;
  return c;
}

// A tree in global memory. A block with m elements has a step of distance s at the first
// a = ceil((m - s) / 2s) multiples of 2s: one guard sends away the other lanes of every warp that
// has a multiple of 2s, another the multiples from the a-th on.

inline simt::counts global_step(unsigned block, unsigned s, amount m) {
  const amount active = m > s ? ceil_div(m - s, 2 * s) : 0;
  const amount in_a_warp = std::max(1u, warp / (2 * s));
  const amount in_a_sector = std::max(1u, 8 / (2 * s));
  const simt::global_counts operand = {ceil_div(active, in_a_warp), ceil_div(active, in_a_sector),
                                       ceil_div(active, in_a_warp)};
  simt::counts c;
  c.global_load = 2 * operand;
  c.global_store = operand;
  c.divergent_branches = std::min(block / warp, block / (2 * s)) + (active % in_a_warp != 0);
  return c;
}

inline simt::counts global_cost(std::size_t n, unsigned block, amount grid) {
  simt::counts c;
  c.global_load = neighbours(n);
  c.global_store = neighbours(n);
  c.global_store += one_word_each(grid);
  c.global_load += one_word_each(ceil_div(n, block));
  c.divergent_branches = (n % warp != 0) + grid;
  c.barriers = grid * (1 + std::countr_zero(block)) * (block / warp);
  for (amount b = 0; b < grid; ++b) {
    const amount m = std::min<amount>(block, n - b * block);
    for (unsigned s = 1; s < block; s *= 2) c += global_step(block, s, m);
  }
  return c;
}

// Folding a block by shuffles: five steps in each warp, whose results W lanes of the first warp
// fold in five more; a warp with fewer than 32 results to fetch diverges once.

inline simt::counts shuffle_cost(amount grid, unsigned block) {
  const amount warps = block / warp;
  simt::counts c;
  c.shared_store = {grid * warps, grid * warps, 0, 1};
  c.shared_load = {grid, grid, 0, 1};
  c.divergent_branches = grid * (warps + (warps < warp));
  c.barriers = grid * warps;
  c.shuffles = grid * 5 * (warps + 1);
  return c;
}

/// By lane 0, whose branch the other lanes of its warp do not take.
inline simt::counts partials_written(amount grid) {
  simt::counts c;
  c.global_store = one_word_each(grid);
  c.divergent_branches = grid;
  return c;
}

// Loads of 16 bytes, 32 of them a request, four requests in flight. The warp whose 32 loads the
// end of the array cuts at the c-th diverges; where they are the last of its four, c lanes fetch
// the other three with it and the other lanes on their own, in a second request each.

inline simt::counts vector_loads(std::size_t n, amount grid, unsigned block) {
  const amount vectors = n / 4, cut = vectors % warp, rest = n % 4;
  const bool cuts_the_fourth = cut != 0 && vectors % (4 * grid * block) / (grid * block) == 3;
  const amount more = cuts_the_fourth ? 3 : 0;
  simt::counts c;
  c.global_load = {ceil_div(vectors, warp) + more, ceil_div(vectors, 2) + more * (cut % 2),
                   ceil_div(vectors, 8) + more * (cut % 8 != 0)};
  c.global_load += one_word_each(rest != 0);
  c.divergent_branches = (cut != 0) + cuts_the_fourth + (rest != 0);
  return c;
}

/// A ticket a block; the last block folds G partials as the others folded elements.
inline simt::counts ticket_cost(amount grid, unsigned block) {
  const amount warps = block / warp;
  simt::counts c = shuffle_cost(1, block);
  c += partials_written(1);
  c.shared_store += {grid, grid, 0, 1};
  c.shared_load += {grid * warps, grid * warps, 0, 1};
  c.global_load = neighbours(grid);
  c.global_atomic = one_word_each(grid);
  c.divergent_branches += grid % warp != 0;
  c.barriers += grid * warps;
  c.fences = 2 * grid;
  return c;
}

/// A second launch, whose one block folds G partials as the others folded elements.
inline simt::counts second_launch_cost(amount grid, unsigned block) {
  simt::counts c = shuffle_cost(1, block);
  c += partials_written(1);
  c.global_load = neighbours(grid);
  c.divergent_branches += grid % warp != 0;
  return c;
}

/// Copies of 16 bytes to shared memory and loads of them there: of 32 lanes a request, 8 of which
/// are served at once. The one warp that the end cuts diverges at the copy and in its loop.
inline simt::counts copies_cost(std::size_t n) {
  const amount vectors = n / 4, requests = ceil_div(vectors, warp), rows = ceil_div(vectors, 8);
  simt::counts c;
  c.global_load = {requests, ceil_div(vectors, 2), rows};
  c.global_load += one_word_each(n % 4 != 0);
  c.shared_store = c.shared_load = {requests, rows, 0, vectors != 0};
  c.divergent_branches = 2 * (vectors % warp != 0) + (n % 4 != 0);
  return c;
}

/// Tiles of a vector a lane, ordered by lane 0: no requests of a warp, so the sectors that are read
/// and the rows that are written are told one by one. Lane 0 leaves its warp to initialise, and at
/// the copy of each tile; a barrier follows each tile.
inline simt::counts tiles_cost(std::size_t n, amount grid, unsigned block) {
  const amount vectors = n / 4, tiles = ceil_div(vectors, block), sectors = ceil_div(vectors, 2);
  simt::counts c = copies_cost(n);
  c.global_load = one_word_each(sectors + (n % 4 != 0));
  c.shared_store.requests = c.shared_store.wavefronts;
  c.divergent_branches += grid + tiles;
  c.divergent_branches -= vectors % warp != 0;
  c.barriers = (grid + tiles) * (block / warp);
  return c;
}

/// Clusters of g blocks, a ticket each. Lane 0 of the first block reads the g - 1 others. Branches
/// of a cluster are grouped from the begin of its blocks, so one of the last fold is no other's.
inline simt::counts cluster_cost(amount grid, unsigned block) {
  const amount warps = block / warp, g = std::gcd(grid, amount{8}), clusters = grid / g;
  simt::counts c = shuffle_cost(1, block);
  c += partials_written(1);
  c.shared_store += {grid + clusters, grid + clusters, 0, 1};
  c.shared_load += {grid - clusters + clusters * warps, grid - clusters + clusters * warps, 0, 1};
  c.global_load = neighbours(clusters);
  c.global_store += one_word_each(clusters);
  c.global_atomic = one_word_each(clusters);
  c.divergent_branches += grid + clusters + (clusters % warp != 0) - (g > 1);
  c.fences = 2 * clusters;
  return c;
}

inline simt::counts atomic_cost(std::size_t n) {
  simt::counts c;
  c.global_load = neighbours(n);
  c.global_atomic = one_word_each(ceil_div(n, warp));
  c.divergent_branches = n % warp != 0;
  return c;
}

inline simt::counts closed_form(std::string_view rung, std::size_t n, unsigned block) {
  const amount grid = blocks_of(rung, n, block);
  if (rung == "reduce/atomic") return atomic_cost(n);
  if (rung == "reduce/global") return global_cost(n, block, grid);
  const bool by_vectors = is_one_of(
      rung, {"reduce/vector", "reduce/one-launch", "reduce/cluster", "reduce/dependent-launch"});
  simt::counts c;
  if (by_vectors) {
    c = vector_loads(n, grid, block);
  } else if (rung == "reduce/async-copy") {
    c = copies_cost(n);
  } else if (rung == "reduce/bulk-copy") {
    c = tiles_cost(n, grid, block);
  } else {
    c.global_load = neighbours(n);
    c.divergent_branches = n % warp != 0;
  }
  const bool by_shuffles =
      is_one_of(rung, {"reduce/shuffle", "reduce/redux", "reduce/async-copy", "reduce/bulk-copy"});
  if (!by_vectors && !by_shuffles) return c += tree_cost(rung, grid, block);
  c += shuffle_cost(grid, block);
  if (rung == "reduce/cluster") return c += cluster_cost(grid, block);
  c += partials_written(grid);
  if (rung == "reduce/redux") {
    c.reductions = c.shuffles / 5;  // one in place of five
    c.shuffles = 0;
  }
  if (rung == "reduce/dependent-launch") c += second_launch_cost(grid, block);
  if (rung == "reduce/one-launch") c += ticket_cost(grid, block);
  return c;
}

}  // namespace onefold::ladder::test
