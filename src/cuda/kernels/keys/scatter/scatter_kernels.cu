// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/keys/scatter/row_lists.cuh"
#include "cuda/kernels/keys/scatter/scatter_sums.cuh"
#include "cuda/kernels/keys/sort.hpp"

#include <algorithm>

namespace onefold::cuda {
namespace {

unsigned blocks_of(std::int64_t n, std::int64_t each) {
  return unsigned(std::clamp<std::int64_t>((n + each - 1) / each, 1, std::int64_t(1) << 20));
}

int write_lists(const scatter_launch& launch, cudaStream_t queue) {
  const row_scatter& request = launch.request;
  const unsigned blocks = blocks_of(request.rows, list_threads * 4);
  auto* const offsets = const_cast<std::int64_t*>(launch.offsets);
  list_rows<<<blocks, list_threads, 0, queue>>>(launch, false);
  if (const auto failed = cudaGetLastError(); failed != cudaSuccess) return int(failed);
  std::size_t scan_bytes = launch.scan_bytes;
  const int failed =
      launch_offsets(launch.counts, offsets, request.answers + 1, launch.scan, scan_bytes, queue);
  if (failed != 0) return failed;
  list_rows<<<blocks, list_threads, 0, queue>>>(launch, true);
  return int(cudaGetLastError());
}

}  // namespace

int launch_scatter(const scatter_launch& launch, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const row_scatter& request = launch.request;
  if (launch.places != nullptr)
    if (const int failed = write_lists(launch, queue); failed != 0) return failed;
  const auto [kernel, words] = scatter_start_of(request.type);
  constexpr unsigned warps = scatter_threads / 32;
  const std::size_t shared_bytes = std::size_t(words) * warps * sizeof(std::int64_t);
  const std::int64_t parts = launch.parts() * launch.tiles;
  kernel<<<blocks_of(parts + launch.shares, warps), scatter_threads, shared_bytes, queue>>>(launch,
                                                                                            false);
  if (parts > 0)
    kernel<<<blocks_of(parts, warps), scatter_threads, shared_bytes, queue>>>(launch, true);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
