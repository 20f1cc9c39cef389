// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of sums of exponentials of contiguous rows of narrow floats, by tiles in shared
// memory.

#include "cuda/loaders/row_tiles.cuh"
#include "cuda/nested/ordered/log_reading.cuh"
#include "cuda/nested/ordered/log_tiles.hpp"
#include "cuda/nested/strided_rows.cuh"

namespace onefold::cuda {

/// All rows of a warp. stages: its shared memory, of row_stages_bytes.
template <class T, bool Vectors>
ONEFOLD_DEVICE void reduce_log_rows(const nested_request& of, const strided_rows& rows,
                                    const log_tables& tables, std::int64_t* stages) {
  row_tiles<T, Vectors, log_row_reading<T>> tiles(rows, stages, {tables.powers});
  for_each_plane(of, rows,
                 [&](const std::byte* x, std::int64_t first, std::int64_t row, std::int64_t step) {
                   tiles.take(
                       x, row, step, [] { return log_lane<T>(); },
                       [&](std::int64_t k, const log_lane<T>& lane) {
                         if (k >= 0) write_log_row<T>(lane, tables, of.finish, first + k);
                         __syncwarp();
                       },
                       [](std::int64_t) { return false; });
                 });
}

template <class T>
ONEFOLD_DEVICE void reduce_log_rows(const nested_request& of, const strided_rows& rows,
                                    const log_tables& tables, std::int64_t* stages) {
  if (rows.vectors)
    reduce_log_rows<T, true>(of, rows, tables, stages);
  else
    reduce_log_rows<T, false>(of, rows, tables, stages);
}

/// Shape:  a request and what log_tiles_of says of it; block of 32 row_tile_warps, any grid;
///         dynamic shared memory for the stages of each warp.
/// Error:  docs/numerics/logsumexp.md; answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(row_tile_warps* warp_lanes, row_tile_blocks)
    nested_log_tiles(ONEFOLD_KERNEL_ARGUMENT nested_request of,
                     ONEFOLD_KERNEL_ARGUMENT strided_rows rows) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  __shared__ log_tables tables;
  write_log_tables(tables);
  __syncthreads();
  std::int64_t* const stages = shared + threadIdx.x / warp_lanes * (row_stages_bytes / 8);
  if (of.input == dtype::f32)
    reduce_log_rows<float>(of, rows, tables, stages);
  else if (of.input == dtype::bf16)
    reduce_log_rows<bf16>(of, rows, tables, stages);
  else
    reduce_log_rows<f16>(of, rows, tables, stages);
}

}  // namespace onefold::cuda
