// SPDX-License-Identifier: Apache-2.0
// How segments are cut into stretches: plain numbers, the same on every device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/segments/segments.hpp"

namespace onefold::cuda {

struct segments_shape {
  std::int64_t segment_weight;  ///< of an end, in elements
  std::int64_t stretch;         ///< weight of a warp's share
  std::int64_t blocks;          ///< of four warps
};

/// An end costs what 16 bytes of elements do. A stretch is 64 KiB, less where there would not be
/// one for each warp of any device, and 2 KiB, which is a tile, at least.
inline segments_shape shape_of_segments(const segments_block& block, std::int64_t width) {
  constexpr std::int64_t warps = 4, wanted = 1056 * 16, least = 2048, most = 65536;
  const std::int64_t weight = 16 / width, all = block.items + block.count * weight;
  const std::int64_t stretch = std::clamp(all / wanted, least / width, most / width);
  const std::int64_t share = stretch * warps;
  return {weight, stretch, std::max<std::int64_t>(all / share + (all % share != 0), 1)};
}

/// The words of a workspace: the findings, the blocks' tickets, their sums.
struct segments_workspace {
  std::size_t tickets, partials, bytes;  ///< where they begin, and the whole

  segments_workspace(const segments_shape& shape, std::size_t sum_words) {
    tickets = 16;
    partials = tickets + (std::size_t(shape.blocks) * sizeof(unsigned) + 15) / 16 * 16;
    bytes = partials + 2 * std::size_t(shape.blocks) * sum_words * sizeof(std::int64_t);
  }
};

}  // namespace onefold::cuda
