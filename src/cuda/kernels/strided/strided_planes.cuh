// SPDX-License-Identifier: Apache-2.0
#pragma once
// The planes of a kernel of row tiles.

#include "cuda/kernels/strided/nest.cuh"
#include "cuda/kernels/strided/strided_rows.hpp"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

/// The planes of this warp, of which each has as many warps as there are for it:
/// reduce(the plane's first byte, its first answer, the warp's first row, rows from tile to tile).
/// Shape: block of 32 row_tile_warps, any grid.
template <class Reduce>
ONEFOLD_DEVICE void for_each_plane(const strided_request& request, const strided_rows& rows,
                                   const Reduce& reduce) {
  const unsigned warp = blockIdx.x * row_tile_warps + threadIdx.x / warp_lanes;
  const unsigned warps = gridDim.x * row_tile_warps;
  const bool one = rows.planes == 1;  // nothing is divided before the first copy
  const unsigned shares =
      one ? warps : unsigned(max(quotient(warps, rows.planes), std::int64_t(1)));
  const unsigned first = one ? 0 : warp / shares, at_once = one ? 1 : warps / shares;
  ONEFOLD_ROLLED
  for (std::int64_t p = first; p < rows.planes; p += at_once) {
    nest_place at;
    if (!one) step_into(request.axes, 0, request.axes.kept - 1, p, at);
    reduce(request.x + at.x, p * rows.count, std::int64_t(warp - first * shares) * rows.shape.rows,
           std::int64_t(shares) * rows.shape.rows);
  }
}

}  // namespace onefold::cuda
