// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_scan.cuh>

#include <algorithm>

#include "cuda/keys/table.cuh"

namespace onefold::cuda {
namespace {

unsigned blocks_for(std::int64_t n, unsigned multiprocessors) {
  constexpr std::int64_t each = table_threads * table_batch;
  const std::int64_t most = std::int64_t(multiprocessors) * (2048 / table_threads);
  return unsigned(std::clamp<std::int64_t>((n + each - 1) / each, 1, most));
}

}  // namespace

int launch_key_extents(const key_elements& of, key_extents* to, unsigned multiprocessors,
                       void* stream) {
  find_key_extents<<<blocks_for(of.keys.n, multiprocessors), table_threads, 0,
                     static_cast<cudaStream_t>(stream)>>>(of, to);
  return int(cudaGetLastError());
}

int ask_key_sums(std::int64_t slots, std::size_t& scratch_bytes) {
  std::uint32_t* const from = nullptr;
  std::int64_t* const to = nullptr;
  return int(cub::DeviceScan::ExclusiveScan(nullptr, scratch_bytes, from, to, ::cuda::std::plus<>(),
                                            std::int64_t(0), slots + 1));
}

int launch_key_sums(const key_elements& of, const key_table& table, void* scratch,
                    std::size_t scratch_bytes, unsigned multiprocessors, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const unsigned blocks = blocks_for(of.keys.n, multiprocessors);
  add_by_key_of(of.type)<<<blocks, table_threads, 0, queue>>>(of, table);
  if (table.copies > 1)
    merge_copies<<<blocks_for(table.copy_words() * warp_lanes, multiprocessors), table_threads, 0,
                   queue>>>(table);
  decide_slots<<<blocks_for(table.slots, multiprocessors), table_threads, 0, queue>>>(table);
  look_at_open_slots<<<blocks, table_threads, 0, queue>>>(of, table);
  if (const auto failed = cudaGetLastError(); failed != cudaSuccess) return int(failed);
  return int(cub::DeviceScan::ExclusiveScan(scratch, scratch_bytes, table.present, table.places,
                                            ::cuda::std::plus<>(), std::int64_t(0), table.slots + 1,
                                            queue));
}

int launch_key_answers(const key_elements& of, const key_table& table, bool is_mean, dtype output,
                       void* answers, void* keys, void* stream) {
  const auto blocks = unsigned(std::min<std::int64_t>(
      (table.slots + table_threads - 1) / table_threads, std::int64_t(1) << 16));
  write_key_answers<<<blocks, table_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      of, table, is_mean, output, answers, keys);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
