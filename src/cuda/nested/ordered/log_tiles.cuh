// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of sums of exponentials of contiguous rows of narrow floats. A tile is in shared
// memory, so a row is read twice there: for its largest element, and for its terms. Their sum is
// exact (docs/numerics/logsumexp.md), so any lane may add any of them.

#include "cuda/loaders/row_tiles.cuh"
#include "cuda/nested/ordered/log_interval.cuh"
#include "cuda/nested/ordered/log_tiles.hpp"
#include "cuda/nested/strided_rows.cuh"
#include "cuda/ordered/term_window.cuh"

namespace onefold::cuda {

/// The second reading of a row.
template <class T>
struct term_lane {
  chunk_exponentials<T> exponentials;
  std::uint32_t own_power;
  bool has_origin;  ///< any row of the warp
  std::uint64_t sum = 0;

  ONEFOLD_DEVICE void add(typename log_lane<T>::bits x) {
    sum += exponentials.term_of(number_of<T>(x));
  }
  template <int Units>
  ONEFOLD_DEVICE void add_vectors(const uint4 (&x)[Units]) {
    if (has_origin)
      add_from<true>(x);
    else
      add_from<false>(x);
  }
  ONEFOLD_DEVICE void fold(int lanes) {
    if (lanes == int(warp_lanes)) {
      sum = warp_add(sum);
      return;
    }
    ONEFOLD_ROLLED
    for (int step = 1; step < lanes; step *= 2) sum += __shfl_xor_sync(whole_warp, sum, step);
  }

 private:
  template <bool Origin, int Units>
  ONEFOLD_DEVICE void add_from(const uint4 (&x)[Units]) {
    const float origin = Origin ? exponentials.scale().origin : 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < Units; ++i)
      for_each_item<T>(x[i], x[i], [&](auto own, auto) {
        const float one = number_of<T>(own);
        sum += exponentials.warp_term_from(Origin ? one - origin : one, own_power);
      });
  }
};
template <class T>
struct term_pass {
  const term_powers& powers;
  std::uint32_t own_power = powers.of[lane_index()];

  ONEFOLD_DEVICE term_lane<T> begin(const log_lane<T>& row) const {
    const chunk_exponentials<T> exponentials(row.largest, powers);
    return {exponentials, own_power, any_lane(exponentials.has_origin())};
  }
  ONEFOLD_DEVICE void end(const term_lane<T>& terms, log_lane<T>& row) const {
    row.sum = terms.sum;
  }
  ONEFOLD_DEVICE static uint4 nothing() { return least_elements<T>(); }
};

/// All rows of a warp. stages: its shared memory, of row_stages_bytes.
template <class T, bool Vectors>
ONEFOLD_DEVICE void reduce_log_rows(const nested_request& of, const strided_rows& rows,
                                    const log_tables& tables, std::int64_t* stages) {
  row_tiles<T, Vectors, term_pass<T>> tiles(rows, stages, {tables.powers});
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
