// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of sums of exponentials of rows of whole vectors that are a few tiles long: the warps
// of a block share a row, a tile each, while the next row is copied. Sums of terms are exact
// (docs/numerics/logsumexp.md), so any lane may add any of them.

#include "cuda/loaders/tile_stages.cuh"
#include "cuda/nested/ordered/log_row_blocks.cuh"

namespace onefold::cuda {

/// A warp's part of a row, in shared memory.
template <class T>
class row_part {
 public:
  ONEFOLD_DEVICE row_part(const std::byte* stage, int bytes, int most_bytes)
      : stage_(stage), bytes_(bytes), turns_((most_bytes - 1) / (loads * turn_bytes) + 1) {}

  template <class Use>
  ONEFOLD_DEVICE void for_each_batch(const Use& use) const {
    ONEFOLD_ROLLED
    for (int i = 0; i < turns_; ++i) {
      __syncwarp();  // or the compiler holds all of them
      uint4 held[loads];
      ONEFOLD_UNROLL
      for (int j = 0; j < loads; ++j) {
        const int at = (i * loads + j) * turn_bytes + int(lane_index()) * 16;
        held[j] = at < bytes_ ? load_copied<T>(reinterpret_cast<const std::int64_t*>(stage_ + at))
                              : term_pass<T>::nothing();
      }
      use(held);
    }
  }

 private:
  static constexpr int loads = 4, turn_bytes = int(warp_lanes) * 16;

  const std::byte* stage_;
  int bytes_, turns_;
};

/// Every row's, a block each. stages: shared memory of this warp, of row_stages_bytes.
template <class T>
ONEFOLD_DEVICE void reduce_shared_rows(const nested_request& of, const strided_rows& rows,
                                       const log_tables& tables, log_row_exchange& exchange,
                                       std::int64_t* stages) {
  const unsigned warp = threadIdx.x / warp_lanes;
  const int most = rows.shape.piece * int(sizeof(T)), before = int(warp) * most;
  const int bytes = min(most, int(rows.items) * int(sizeof(T)) - before);
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
    const row_part<T> part(ring.oldest(), bytes, most);
    request(k + gridDim.x);
    log_lane<T> lane;
    part.for_each_batch([&](const auto& some) {
      ONEFOLD_UNROLL
      for (const auto& each : some) lane.add_vector(each);
    });
    lane.fold(warp_lanes);
    if (lane_index() == 0) exchange.largest[warp] = lane.largest;
    __syncthreads();
    ONEFOLD_UNROLL
    for (int i = 0; i < row_tile_warps; ++i)
      lane.largest = greater_or_nan(lane.largest, exchange.largest[i]);
    term_lane<T> terms = term_pass<T>{tables.powers}.begin(lane);
    part.for_each_batch([&](const auto& some) { terms.add_vectors(some); });
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
