// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentials of general strided layouts: a warp takes one piece of one answer after another.

#include "cuda/kernels/strided/exponentials/exponential_second_attempt.cuh"

namespace onefold::cuda {

template <class Wide>
ONEFOLD_DEVICE void take_exponential_pieces(const strided_request& request, std::int64_t* words,
                                            std::int64_t* own) {
  for_each_piece(request, [&](const nest_piece& piece, std::int64_t k) {
    if (request.finish.size > 0) return finish_logarithm<Wide>(request, k, own);
    write_exponential_sum(elements_of<Wide>(request, piece), own);
    for (unsigned i = lane_index(); i < unsigned(exponential_words::all); i += warp_lanes)
      words[k * request.state_words + i] = own[i];
    __syncwarp();
  });
}

/// Shape:  a request's answers, >= 0 of them, in pieces of any length; words[outputs][pieces]
///         [state_words], those of an exponential_sum, carried; or answers, each of one piece;
///         block of strided_threads, any grid.
/// Error:  none: words and answers as on the host.
/// Order:  none: the same ones in every run and grid.
static __global__ void __launch_bounds__(strided_threads)
    strided_exponentials(ONEFOLD_KERNEL_ARGUMENT strided_request request, std::int64_t* words) {
  __shared__ std::int64_t shared[strided_threads / warp_lanes][exponential_space_words];
  write_tables();
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (request.input < dtype::f16 || request.input == dtype::f64)
    take_exponential_pieces<double>(request, words, own);
  else
    take_exponential_pieces<float>(request, words, own);
}

}  // namespace onefold::cuda
