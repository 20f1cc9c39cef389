// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers of moments of narrow floats of general strided layouts: each is one piece, which a warp
// reduces, by double words if they certify the answers, else exactly.
//
// f32 holds the elements of all three types, so that one kernel has the exact sums of them.

#include "cuda/kernels/strided/moments/moment_second_attempt.cuh"
#include "cuda/kernels/strided/strided_epilogue.cuh"
#include "cuda/kernels/strided/strided_sums.cuh"
#include "onefold/detail/exact_moments.hpp"

namespace onefold::cuda {

/// The words of the moments of a piece, of elements that T holds, in shared memory.
template <class T>
ONEFOLD_COLD void write_exact_moments(const strided_request& request, const nest_piece& piece,
                                      std::int64_t* own) {
  piece_total<accumulator::total, T, true> sum(request, own);
  piece_total<accumulator::squares, T, true> squares(request,
                                                     own + terms<accumulator::total, T>::words);
  sum.take(piece), squares.take(piece);
  sum.complete(), squares.complete();
}

/// Answer k exactly, of elements that T holds. own: shared memory for the words of moments and a
/// finish_space.
template <class T>
ONEFOLD_COLD void finish_exact_moments(const strided_request& request, std::int64_t k,
                                       std::int64_t* own) {
  using state = detail::moments<T>;
  write_exact_moments<T>(request, nest_piece(request, k), own);
  if (lane_index() == 0)
    finish_sums_of<state>(own, request.finish, request.first_output + k, own + state::words);
  __syncwarp();
}

/// The same, by double words if they certify it. Precondition: suits_double_words.
ONEFOLD_COLD inline void finish_moments(const strided_request& request, std::int64_t k,
                                        std::int64_t* own) {
  __syncwarp();  // another lane may have written some answers
  if (!write_double_word_moments(request, k)) finish_exact_moments<float>(request, k, own);
}

/// The same of answers from + noted[i], i < count. noted: shared memory of the warp.
ONEFOLD_COLD inline void finish_noted(const strided_request& request, std::int64_t from, int* noted,
                                      unsigned count, std::int64_t* own) {
  const bool by_lanes = suits_lanes(request.items, count);
  __syncwarp();
  if (by_lanes) count = certify_short_rows(request, from, noted, count);
  ONEFOLD_ROLLED
  for (unsigned i = 0; i < count; ++i)
    by_lanes ? finish_exact_moments<float>(request, from + noted[i], own)
             : finish_moments(request, from + noted[i], own);
}

/// Shape:  answers of a request, >= 0 of them, each of one piece, of elements of f16, bf16 or f32;
///         block of strided_threads, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(strided_threads)
    strided_moments(ONEFOLD_KERNEL_ARGUMENT strided_request request) {
  using state = detail::moments<float>;
  constexpr unsigned warps = strided_threads / warp_lanes;
  __shared__ std::int64_t shared[warps][state::words + finish_space_words<state>];
  const unsigned warp = threadIdx.x / warp_lanes;
  const bool suits = suits_double_words(request);
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + warp; k < request.outputs;
       k += std::int64_t(gridDim.x) * warps)
    suits ? finish_moments(request, k, shared[warp])
          : finish_exact_moments<float>(request, k, shared[warp]);
}

}  // namespace onefold::cuda
