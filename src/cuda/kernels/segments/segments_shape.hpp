// SPDX-License-Identifier: Apache-2.0
// How segments are cut into work ranges: plain numbers, the same on every device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cuda/kernels/segments/segments.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda {

/// An end costs what 16 bytes of elements do. A work range is 64 KiB, less where there would not be
/// one for each warp of any device, and 2 KiB, which is a tile, at least.
///
/// Of sums of 64 bytes and more in the mean the last eighth is shared out in ranges of a
/// quarter, so that all blocks end at about one time; of 256 and more elements leave the second
/// cache first, so that what is read and written in pieces stays. For shorter segments, and for
/// what is selected, neither pays (docs/performance/gpu-segments.md).
inline segments_shape shape_of_segments(const segments_request& request,
                                        const segments_block& block) {
  constexpr std::int64_t wanted = 1056 * 16, least = 2048, most = 65536, warps = 4;
  const auto width = std::int64_t(size_bytes(request.input));
  const std::int64_t weight = 16 / width, all = block.items + block.count * weight;
  const std::int64_t work_range = std::clamp(all / wanted, least / width, most / width);
  const bool is_sum = !segments_take_rows(request.op);
  const std::int64_t mean = block.items / std::max<std::int64_t>(block.count, 1) * width;
  const bool tapers = is_sum && mean >= 64 && work_range == most / width;
  const std::int64_t early = tapers ? (all - all / 8) / (work_range * warps) : 0;
  const std::int64_t late = tapers ? work_range / 4 : work_range;
  const std::int64_t rest = all - early * work_range * warps, share = late * warps;
  const auto blocks = std::max<std::int64_t>(early + rest / share + (rest % share != 0), 1);
  return {is_sum && mean >= 256, weight, work_range, late, early, blocks};
}

/// The words of a workspace: the findings, a ticket a block, sums that wait, of which a block has
/// two.
struct segments_workspace {
  std::size_t tickets, partials, bytes;  ///< where they begin, and the whole

  segments_workspace(const segments_shape& shape, std::size_t sum_words) {
    tickets = 16;
    partials = tickets + (std::size_t(shape.blocks) * sizeof(unsigned) + 15) / 16 * 16;
    bytes = partials + 2 * std::size_t(shape.blocks) * sum_words * sizeof(std::int64_t);
  }
};

}  // namespace onefold::cuda
