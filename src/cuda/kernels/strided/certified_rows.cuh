// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows whose answers a lane certifies, or not: the others are noted, and reduced again.

#include "cuda/kernels/strided/strided_planes.cuh"
#include "cuda/loaders/row_tiles.cuh"

namespace onefold::cuda {

/// Rows `row`, `row` + `step`, … of the plane at x, which `tiles` reads, up to a tile of which some
/// are not certified. make: as of row_tiles::take; write(lane, k, writes) writes answer k, of row
/// k - first, if it is certified; else finish(from, count) writes answers from + noted[i], i <
/// count. Returns the row to go on from. noted: shared memory of the warp, for rows.
template <class Tiles, class Make, class Write, class Finish>
ONEFOLD_DEVICE std::int64_t
take_certified_rows(Tiles& tiles, const std::byte* x, std::int64_t first, std::int64_t row,
                    std::int64_t step, const Make& make, const Write& write, int* noted,
                    const Finish& finish) {
  // Ambiguous rows of a tile, and those before it that were completed with it. The fallback is a
  // call, which would cost registers in the hot loop.
  unsigned count = 0;
  std::int64_t base = 0;
  row = tiles.take(
      x, row, step, make,
      [&](std::int64_t k, const auto& sums) {
        const bool certified = write(sums, first + k, k >= 0);
        const unsigned left = __ballot_sync(whole_warp, k >= 0 && !certified);
        if (left == 0) return;
        if ((left >> lane_index() & 1) != 0)
          noted[count + __popc(left & ((1u << lane_index()) - 1))] = int(k - base);
        count += __popc(left);
      },
      [&](std::int64_t tile) {
        if (count == 0) base = tile;
        return count > 0;
      });
  if (count > 0) finish(first + base, count);
  __syncwarp();
  return row;
}

/// All rows of a warp.
template <class Tiles, class Make, class Write, class Finish>
ONEFOLD_DEVICE void reduce_certified_rows(const strided_request& request, const strided_rows& rows,
                                          Tiles& tiles, const Make& make, const Write& write,
                                          int* noted, const Finish& finish) {
  for_each_plane(request, rows,
                 [&](const std::byte* x, std::int64_t first, std::int64_t row, std::int64_t step) {
                   ONEFOLD_ROLLED
                   while (row < rows.count)
                     row = take_certified_rows(tiles, x, first, row, step, make, write, noted,
                                               finish);
                 });
}

}  // namespace onefold::cuda
