// SPDX-License-Identifier: Apache-2.0
#pragma once
// Extrema over ranks, by maxima of words: a lane has an answer.

#include "cuda/kernels/ranks/rank_extrema.hpp"
#include "cuda/kernels/ranks/refused.cuh"

namespace onefold::cuda {

inline constexpr unsigned extrema_threads = 128;

ONEFOLD_DEVICE std::int64_t first_answer() {
  return std::int64_t(blockIdx.x) * extrema_threads + threadIdx.x;
}
ONEFOLD_DEVICE std::int64_t answer_step() {
  return std::int64_t(gridDim.x) * extrema_threads;
}

template <class State>
ONEFOLD_DEVICE State state_at(const std::int64_t* words) {
  return State::from_words([&words] { return *words++; });
}

/// Shape:  words[answers][pieces][extrema::words], or null: states without elements, of one piece;
///         any grid of extrema_threads lanes.
/// Error:  none.
/// Order:  none: each position is the first one.
__global__ void __launch_bounds__(extrema_threads)
    write_extrema_keys(ONEFOLD_KERNEL_ARGUMENT extrema_request request, const std::int64_t* words,
                       std::int64_t pieces, extrema_words to) {
  constexpr int size = detail::extrema::words;
  ONEFOLD_ROLLED
  for (std::int64_t k = first_answer(); k < request.answers; k += answer_step()) {
    detail::extrema all;
    ONEFOLD_ROLLED
    for (std::int64_t piece = 0; words != nullptr && piece < pieces; ++piece)
      all.merge(state_at<detail::extrema>(words + (k * pieces + piece) * size));
    to.merged[k] = all;
    write_key_words(request, all, k, to.keys);
  }
}

/// Shape:  as write_extrema_keys; in.keys have been combined.
/// Error:  none.
/// Order:  none.
__global__ void __launch_bounds__(extrema_threads)
    write_extrema_positions(ONEFOLD_KERNEL_ARGUMENT extrema_request request, extrema_words in) {
  ONEFOLD_ROLLED
  for (std::int64_t k = first_answer(); k < request.answers; k += answer_step())
    write_position_words(request, in.merged[k], k, in.keys, in.positions);
}

ONEFOLD_COLD inline void round_extremum(const extrema_request& request, const element_kind& kind,
                                        const detail::extrema& from, std::int64_t k) {
  report_of_batched(write_selections(from, kind, request.finish, k), request.finish);
}

/// Shape:  as write_extrema_keys; in.keys and in.positions have been combined; kind: of the
///         request's elements.
/// Error:  none: an extremum is an element.
/// Order:  none.
__global__ void __launch_bounds__(extrema_threads)
    round_extrema(ONEFOLD_KERNEL_ARGUMENT extrema_request request, const element_kind kind,
                  extrema_words in) {
  ONEFOLD_ROLLED
  for (std::int64_t k = first_answer(); k < request.answers; k += answer_step()) {
    if (is_of_request(request, k, in.keys))
      round_extremum(request, kind, combined_extrema(request, k, in), k);
    else
      refuse_answers(request.finish, k);
  }
}

}  // namespace onefold::cuda
