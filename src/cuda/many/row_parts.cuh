// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers of rows and columns in several parts.

#include "cuda/many/row_reader.cuh"

namespace onefold::cuda {

/// Lanes of an answer in many_parts, a power of two: each reads eight parts or more, of which
/// neighbouring lanes read neighbouring answers.
ONEFOLD_HOST_DEVICE constexpr unsigned lanes_of_parts(std::int64_t parts) {
  unsigned lanes = 1;
  while (lanes < warp_lanes && std::int64_t(lanes) * 16 <= parts) lanes *= 2;
  return lanes;
}

/// The sum of parts begin, begin + step, …, eight loads of each word on their way.
template <class Sum>
ONEFOLD_DEVICE Sum sum_of_parts(const many_arguments& a, std::int64_t k, std::int64_t begin,
                                std::int64_t step) {
  constexpr int loads = 8;
  const std::int64_t answers = a.answers(), apart = answers * a.parts;
  Sum sum;
  ONEFOLD_ROLLED
  for (std::int64_t part = begin; part < a.parts; part += loads * step) {
    Sum parts[loads];
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i)
      if (part + i * step < a.parts)
        parts[i] = read_sum<Sum>(a.partials + (part + i * step) * answers + k, apart);
    ONEFOLD_UNROLL
    for (int i = 0; i < loads; ++i) sum.join(parts[i]);
  }
  return sum;
}

/// Shape:  partials of x[outer][n][inner]; any grid, a block a multiple of 32, its lanes shared by
///         lanes_of_parts; shared memory as of many_rows.
/// Error:  none: answers are rounded once.
/// Order:  lanes take every lanes_of_parts-th part and meet as a tree.
template <class Terms>
__global__ void __launch_bounds__(rows_threads) many_parts(many_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  std::int64_t* const words = shared + threadIdx.x / warp_lanes * Terms::digits;
  using sum = typename Terms::sum;
  const unsigned lanes = lanes_of_parts(a.parts), in_warp = warp_lanes / lanes;
  const unsigned mine = lane_index() % in_warp, place = lane_index() / in_warp;
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  const std::int64_t answers = a.answers();
  const std::int64_t stride = std::int64_t(gridDim.x) * warps * in_warp;
  ONEFOLD_ROLLED
  for (std::int64_t first = (std::int64_t(blockIdx.x) * warps + warp) * in_warp; first < answers;
       first += stride) {
    const std::int64_t k = first + mine;
    sum total;
    if (k < answers) total = sum_of_parts<sum>(a, k, place, lanes);
    ONEFOLD_ROLLED
    for (unsigned mask = in_warp; mask < warp_lanes; mask *= 2)
      total.join(sum_across(total, int(mask)));
    write_answers<Terms>(a, total, k < answers && place == 0 ? k : -1, words);
  }
}

}  // namespace onefold::cuda
