// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/ranks/rank_extrema.cuh"

#include <algorithm>

namespace onefold::cuda {
namespace {

constexpr std::int64_t most_blocks = 4096;

unsigned blocks_of(const extrema_request& request) {
  return unsigned(std::min((request.answers - 1) / extrema_threads + 1, most_blocks));
}

}  // namespace

int launch_write_extrema_keys(const extrema_request& request, const std::int64_t* words,
                              std::int64_t pieces, const extrema_words& to, void* stream) {
  write_extrema_keys<<<blocks_of(request), extrema_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      request, words, pieces, to);
  return int(cudaGetLastError());
}

int launch_write_extrema_positions(const extrema_request& request, const extrema_words& in,
                                   void* stream) {
  write_extrema_positions<<<blocks_of(request), extrema_threads, 0,
                            static_cast<cudaStream_t>(stream)>>>(request, in);
  return int(cudaGetLastError());
}

int launch_round_extrema(const extrema_request& request, const extrema_words& in, void* stream) {
  round_extrema<<<blocks_of(request), extrema_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      request, kind_of(request.input), in);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
