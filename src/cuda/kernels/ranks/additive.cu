// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/ranks/additive.cuh"

namespace onefold::cuda {
namespace {

constexpr std::int64_t most_blocks = 4096;

unsigned blocks_of(const group_request& request) {
  return unsigned(std::min(request.answers, most_blocks));
}

}  // namespace

int launch_write_group_bands(const group_request& request, const std::int64_t* words,
                             std::int64_t pieces, std::int64_t* bands, void* stream) {
  write_group_bands<<<blocks_of(request), warp_lanes, 0, static_cast<cudaStream_t>(stream)>>>(
      request.answers, words, pieces, bands);
  return int(cudaGetLastError());
}

int launch_write_groups(const group_request& request, const std::int64_t* words,
                        std::int64_t pieces, const std::int64_t* bands, std::int64_t* groups,
                        void* stream) {
  const auto write = group_kernels_of(request).write;
  if (write == nullptr) return int(cudaErrorNotSupported);
  write<<<blocks_of(request), warp_lanes, 0, static_cast<cudaStream_t>(stream)>>>(
      request, words, pieces, bands, groups);
  return int(cudaGetLastError());
}

int launch_round_groups(const group_request& request, const std::int64_t* groups, void* stream) {
  const auto round = group_kernels_of(request).round;
  if (round == nullptr) return int(cudaErrorNotSupported);
  round<<<blocks_of(request), warp_lanes, 0, static_cast<cudaStream_t>(stream)>>>(
      request, kind_of(request.input), groups);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
