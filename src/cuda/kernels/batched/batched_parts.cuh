// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers of rows and columns in several parts.

#include "cuda/kernels/batched/batched_fallback.cuh"

namespace onefold::cuda {

inline constexpr unsigned parts_threads = 256;  ///< of a block

/// Lanes of an answer in batched_parts, a power of two up to a block: each reads eight parts or
/// more. Of fewer than a warp, neighbours read neighbouring answers.
ONEFOLD_HOST_DEVICE constexpr unsigned lanes_of_parts(std::int64_t parts, unsigned block) {
  unsigned lanes = 1;
  while (lanes * 2 <= block && std::int64_t(lanes) * 16 <= parts) lanes *= 2;
  return lanes;
}

/// Words of shared memory in which the warps of an answer meet.
template <class Sum>
ONEFOLD_HOST_DEVICE constexpr unsigned parts_words(unsigned block) {
  return block / warp_lanes * Sum::parts;
}

/// The sum of parts begin, begin + step, …, eight loads of each word on their way.
template <class Sum>
ONEFOLD_DEVICE Sum sum_of_parts(const batched_arguments& a, std::int64_t k, std::int64_t begin,
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

/// Shape:  partials of x[outer][n][inner]; any grid, a block of a power of two, at least 32, its
///         lanes shared by lanes_of_parts; dynamic shared memory for parts_words of 64 bits.
/// Error:  none: answers are rounded once. Ambiguous ones are listed for batched_fallback.
/// Order:  lanes take every lanes_of_parts-th part and meet as a tree.
template <class Sum>
__global__ void __launch_bounds__(parts_threads)
    batched_parts(batched_arguments a, ambiguous_list list) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  const unsigned lanes = lanes_of_parts(a.parts, blockDim.x), lane = lane_index();
  const unsigned warp = threadIdx.x / warp_lanes, in_warp = max(warp_lanes / lanes, 1u);
  const unsigned answer =
      lanes < warp_lanes ? warp * in_warp + lane % in_warp : threadIdx.x / lanes;
  const unsigned place = lanes < warp_lanes ? lane / in_warp : threadIdx.x % lanes;
  const std::int64_t answers = a.answers(), in_block = blockDim.x / lanes;
  ONEFOLD_ROLLED
  for (std::int64_t first = blockIdx.x * in_block; first < answers; first += gridDim.x * in_block) {
    const std::int64_t k = first + answer;
    Sum total;
    if (k < answers) total = sum_of_parts<Sum>(a, k, place, lanes);
    total = join_lanes(total, lanes, shared);
    if (k < answers && place == 0 && !write_answer(total, a.form, a.out, k))
      note_ambiguous(list, k);
  }
}

}  // namespace onefold::cuda
