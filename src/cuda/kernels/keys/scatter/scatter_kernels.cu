// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/keys/scatter/column_table.cuh"
#include "cuda/kernels/keys/scatter/row_lists.cuh"
#include "cuda/kernels/keys/scatter/scatter_sums.cuh"
#include "cuda/kernels/keys/sort.hpp"

#include <algorithm>

namespace onefold::cuda {
namespace {

unsigned blocks_of(std::int64_t n, std::int64_t each) {
  return unsigned(std::clamp<std::int64_t>((n + each - 1) / each, 1, std::int64_t(1) << 20));
}

// Threads that a device has at once: blocks raise the extents, and do nothing in one of two ways.
unsigned few_blocks_of(std::int64_t n, std::int64_t each) {
  return std::min(blocks_of(n, each), 1024u);
}
unsigned list_blocks_of(const scatter_launch& launch, std::int64_t n, std::int64_t each) {
  return launch.column.table != nullptr ? few_blocks_of(n, each) : blocks_of(n, each);
}
int add_in_table(const scatter_launch& launch, cudaStream_t queue) {
  constexpr unsigned threads = table_threads;
  const row_scatter& request = launch.request;
  const unsigned of_rows = few_blocks_of(request.rows, threads * table_batch),
                 of_answers = few_blocks_of(request.answers, threads);
  find_column_extents<<<of_rows, threads, 0, queue>>>(launch);
  plan_column<<<of_rows, threads, 0, queue>>>(launch);
  add_column<<<of_rows, threads, 0, queue>>>(launch);
  merge_column<<<of_answers, threads, 0, queue>>>(launch);
  decide_column<<<of_answers, threads, 0, queue>>>(launch);
  look_at_column<<<of_rows, threads, 0, queue>>>(launch);
  write_column<<<of_answers, threads, 0, queue>>>(launch);
  return int(cudaGetLastError());
}

int write_lists(const scatter_launch& launch, cudaStream_t queue) {
  const row_scatter& request = launch.request;
  const unsigned blocks = list_blocks_of(launch, request.rows, list_threads * 4);
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
  if (launch.column.table != nullptr)
    if (const int failed = add_in_table(launch, queue); failed != 0) return failed;
  if (launch.places != nullptr)
    if (const int failed = write_lists(launch, queue); failed != 0) return failed;
  const auto [kernel, words] = scatter_start_of(request.type);
  constexpr unsigned warps = scatter_threads / 32;
  const std::size_t shared_bytes = std::size_t(words) * warps * sizeof(std::int64_t);
  const std::int64_t parts = launch.parts() * launch.tiles;
  const auto blocks = [&](std::int64_t tasks) { return list_blocks_of(launch, tasks, warps); };
  kernel<<<blocks(parts + launch.shares), scatter_threads, shared_bytes, queue>>>(launch, false);
  if (parts > 0) kernel<<<blocks(parts), scatter_threads, shared_bytes, queue>>>(launch, true);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
