// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ways of a warp's tiles: first into the window that is open; if a tile does not fit, after
// moving the window to the tile's largest exponent; if it does not fit there either, the exact
// fallback. After tiles that fail one after another the next 1, 2, 4 … 64 take the fallback
// untried. Which way a tile takes changes no bit.

#include "cuda/primitives/words.cuh"

namespace onefold::cuda {

/// Ignores which ways tiles took. Tests pass one that counts.
struct unwatched {
  ONEFOLD_DEVICE void fast_tile() const {}
  ONEFOLD_DEVICE void wide_tile() const {}
  ONEFOLD_DEVICE void moved_window() const {}
  ONEFOLD_DEVICE void slow_windows(int) const {}
  ONEFOLD_DEVICE void binned_range() const {}
};

/// Tiles that begin at `first`, first + step, … below `end` as long as add(first, tile) accepts
/// them; returns the first that it does not. Two take turns: while one is added, the other is on
/// its way. A loop with one of them would copy registers of a load that it then has to wait for.
/// Where `load` ends with a barrier of the warp, its loads stay where they are.
template <class Tile, class Load, class Add>
ONEFOLD_DEVICE std::int64_t take_turns(std::int64_t first, std::int64_t end, std::int64_t step,
                                       const Load& load, const Add& add) {
  Tile even, odd;
  load(first, even);
  const auto turn = [&](const Tile& now, Tile& next) {
    const std::int64_t after = first + step;
    load(after < end ? after : first, next);
    if (!add(first, now)) return false;
    first = after;
    return after < end;
  };
  ONEFOLD_ROLLED
  while (turn(even, odd) && turn(odd, even)) {
  }
  return first;
}

/// The same one by one, for blocks whose registers hold one: other warps' loads are under way.
template <class Tile, class Load, class Add>
ONEFOLD_DEVICE std::int64_t take_one_by_one(std::int64_t first, std::int64_t end, std::int64_t step,
                                            const Load& load, const Add& add) {
  Tile now;
  ONEFOLD_ROLLED
  for (; first < end; first += step) {
    load(first, now);
    if (!add(first, now)) break;
  }
  return first;
}

/// The tiles that begin at `first`, first + step, … below `end`. Of a warp: take_fast(first, end,
/// step), which returns the first tile that does not fit, move_window, and take_slowly(first, end,
/// step, how many at most), which returns the tile after the last one.
template <class Warp>
ONEFOLD_DEVICE void take_tiles(Warp& warp, std::int64_t first, std::int64_t end,
                               std::int64_t step) {
  bool moved = false;
  int slow = 0;
  ONEFOLD_ROLLED
  while (first < end) {
    const std::int64_t next = warp.take_fast(first, end, step);
    if (next != first) {
      first = next, moved = false, slow = 0;
      continue;
    }
    if (!moved && warp.move_window(first)) {
      moved = true;
      continue;
    }
    moved = false, slow = slow == 0 ? 1 : min(2 * slow, 64);
    const std::int64_t run = slow * step;
    first = warp.take_slowly(first, end - first > run ? first + run : end, step, slow);
  }
}

}  // namespace onefold::cuda
