// SPDX-License-Identifier: Apache-2.0
// How the lanes of a launch share answers: element (o, part, c) of all lanes has part `part` of
// answer (o, c), one of `inner` neighbours. A part is every so many-th index of each reduced axis.
// So neighbouring lanes read neighbouring elements: of columns along c, however few there are; of
// rows, whose inner is 1, along the inner reduced axis.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "onefold/detail/config.hpp"

namespace onefold::cuda {

/// A reduced axis, of which a lane takes every parts-th index.
struct shared_axis {
  std::int64_t extent, bytes;  ///< bytes from one index to the next
  std::int64_t items;          ///< the same in the order of an answer's elements
  std::int64_t parts;

  constexpr explicit shared_axis(std::int64_t extent = 1, std::int64_t bytes = 0,
                                 std::int64_t items = 1, std::int64_t parts = 1)
      : extent(extent), bytes(bytes), items(items), parts(parts), least_(extent / parts),
        more_(extent % parts) {}
  /// Indices of the lane of a part.
  ONEFOLD_HOST_DEVICE constexpr std::int64_t count(std::int64_t part) const {
    return least_ + (part < more_ ? 1 : 0);
  }

 private:
  std::int64_t least_, more_;
};

/// A lane takes its indices of `run` one after the other, for each of its indices of `loop`.
struct column_parts {
  std::int64_t inner = 1;
  shared_axis loop{}, run{};
  bool loop_is_inner = false;  ///< neighbouring parts are those along the inner axis
  unsigned threads = 1;        ///< of a block

  ONEFOLD_HOST_DEVICE constexpr std::int64_t count() const { return loop.parts * run.parts; }
  /// Threads that follow each other and have parts of `inner` neighbours: of all parts, or a block.
  ONEFOLD_HOST_DEVICE constexpr unsigned group() const {
    return count() * inner < threads ? unsigned(count() * inner) : threads;
  }
  /// Whether the threads of a group that have parts of one answer, `inner` apart, join them: then
  /// no block has a part of a group.
  ONEFOLD_HOST_DEVICE constexpr bool block_joins() const {
    return 2 * inner <= group() && threads % group() == 0 && count() * inner % group() == 0;
  }
  /// Parts of an answer that are written.
  ONEFOLD_HOST_DEVICE constexpr std::int64_t written() const {
    return block_joins() ? count() * inner / group() : count();
  }
  /// Whether a second launch joins parts.
  ONEFOLD_HOST_DEVICE constexpr bool joins() const { return written() > 1; }
};

/// A number of parts, more than half of `most`, that blocks join, if there is one; else `most`.
constexpr std::int64_t joined_parts(std::int64_t most, std::int64_t inner, unsigned threads) {
  const std::int64_t unit = threads / std::gcd(std::int64_t(threads), inner);
  if (2 * inner > threads) return most;
  if (most >= unit) return most / unit * unit;
  return threads % inner == 0 ? std::int64_t(std::bit_floor(std::uint64_t(most))) : most;
}

/// Parts of answers whose two reduced axes, outer and inner, have these extents and bytes; 1 for
/// none: as many as keep a device busy once. With one more some lanes would work twice.
inline column_parts column_parts_of(std::int64_t answers, std::int64_t neighbours,
                                    const shared_axis& outer, const shared_axis& inner,
                                    unsigned multiprocessors, unsigned threads) {
  constexpr std::int64_t lanes_of_a_multiprocessor = 1024, least_items = 64, least_run = 8;
  constexpr std::int64_t row_lanes = 32;  // that read a row together
  const std::int64_t items = outer.extent * inner.extent;
  const std::int64_t runs = std::max<std::int64_t>(items / least_run, 1);
  const std::int64_t most = std::max<std::int64_t>(items / least_items, 1);
  std::int64_t wanted =
      std::clamp<std::int64_t>(multiprocessors * lanes_of_a_multiprocessor / answers, 1, most);
  if (neighbours == 1) wanted = std::max(wanted, std::min(runs, row_lanes));
  wanted = joined_parts(wanted, neighbours, threads);
  // Of rows as many lanes as read whole lines, and run along them if they are long.
  std::int64_t lanes = std::clamp<std::int64_t>(inner.extent / least_run, 1, wanted);
  if (neighbours == 1) lanes = std::min({std::max(lanes, row_lanes), inner.extent, wanted});
  lanes = outer.extent == 1 ? wanted : std::int64_t(std::bit_floor(std::uint64_t(lanes)));
  const shared_axis along(inner.extent, inner.bytes, 1, lanes);
  const shared_axis across(outer.extent, outer.bytes, inner.extent,
                           std::clamp<std::int64_t>(wanted / lanes, 1, outer.extent));
  const bool runs_along = along.count(0) >= across.count(0);
  return {neighbours, runs_along ? across : along, runs_along ? along : across, !runs_along,
          threads};
}

}  // namespace onefold::cuda
