// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of sums of exponentials of rows of whole vectors that are a few tiles long: the warps
// of a block share a row, a tile each, while the next row is copied. Sums of terms are exact
// (docs/numerics/logsumexp.md), so any lane may add any of them.

#include "cuda/loaders/row_reader.cuh"
#include "cuda/loaders/tile_stages.cuh"
#include "cuda/nested/ordered/log_row_blocks.cuh"

namespace onefold::cuda {

/// Every row's, a block each. stages: shared memory of this warp, of row_stages_bytes.
template <class T>
ONEFOLD_DEVICE void reduce_shared_rows(const nested_request& of, const strided_rows& rows,
                                       const log_tables& tables, log_row_exchange& exchange,
                                       std::int64_t* stages) {
  const unsigned warp = threadIdx.x / warp_lanes;
  const int most = rows.shape.piece * int(sizeof(T)), before = int(warp) * most;
  const int bytes = min(most, int(rows.items) * int(sizeof(T)) - before);
  const row_reader<T, true> reader(rows.shape, max(bytes, 0) / int(sizeof(T)));
  const log_row_reading<T> reading = {tables.powers};
  tile_stages<T, true> ring(rows, stages);
  held_log_rows<T> held({tables, of.finish});
  const auto request = [&](std::int64_t k) {
    nest_place at;
    if (k < of.outputs && bytes > 0) {
      step_into(of.axes, 0, of.axes.kept, k, at);
      ring.copy(of.x + at.x + before, bytes);
    }
    ring.end_request();
  };
  ring.begin();
  request(blockIdx.x);
  ONEFOLD_ROLLED
  for (std::int64_t k = blockIdx.x; k < of.outputs; k += gridDim.x) {
    const std::byte* const part = ring.oldest();
    const auto for_each_batch = [&](const auto& use) {
      reader.template for_each_batch<4>(part, least_elements<T>(), use);
    };
    request(k + gridDim.x);
    log_lane<T> lane;
    for_each_batch([&](const auto& some) { lane.add_all(some); });
    lane.fold(warp_lanes);
    if (lane_index() == 0) exchange.largest[warp] = lane.largest;
    __syncthreads();
    ONEFOLD_UNROLL
    for (int i = 0; i < row_tile_warps; ++i)
      lane.largest = greater_or_nan(lane.largest, exchange.largest[i]);
    term_lane<T> terms = reading.terms_of(lane);
    for_each_batch([&](const auto& some) { terms.add_all(some); });
    terms.fold(warp_lanes);
    if (lane_index() == 0) exchange.sums[warp] = terms.sum;
    __syncthreads();
    if (warp != 0) continue;
    std::uint64_t sum = 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < row_tile_warps; ++i) sum += exchange.sums[i];
    held.take({lane.largest, sum}, k);
  }
  if (warp == 0) held.finish();
  ring.end();
}

/// Shape:  a request and what shared_log_rows_of says of it; block of 32 row_tile_warps, any grid;
///         dynamic shared memory for the stages of each warp.
/// Error:  docs/numerics/logsumexp.md; answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(row_tile_warps* warp_lanes, row_tile_blocks)
    nested_log_row_tiles(ONEFOLD_KERNEL_ARGUMENT nested_request of,
                         ONEFOLD_KERNEL_ARGUMENT strided_rows rows) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  __shared__ log_tables tables;
  __shared__ log_row_exchange exchange;
  write_log_tables(tables);
  __syncthreads();
  std::int64_t* const stages = shared + threadIdx.x / warp_lanes * (row_stages_bytes / 8);
  if (of.input == dtype::f32)
    reduce_shared_rows<float>(of, rows, tables, exchange, stages);
  else if (of.input == dtype::bf16)
    reduce_shared_rows<bf16>(of, rows, tables, exchange, stages);
  else
    reduce_shared_rows<f16>(of, rows, tables, exchange, stages);
}

}  // namespace onefold::cuda
