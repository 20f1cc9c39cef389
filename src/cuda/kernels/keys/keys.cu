// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/keys/keys.hpp"

#include "cuda/kernels/keys/runs.cuh"

namespace onefold::cuda {

int launch_key_counts(const key_list& keys, std::int64_t* words, void* bytes, void* stream) {
  count_runs<<<unsigned(key_blocks(keys.n)), key_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      keys, words, static_cast<std::uint32_t*>(bytes));
  return int(cudaGetLastError());
}

int launch_key_runs(const key_list& list, const std::int64_t* words, const void* bytes,
                    std::int64_t* offsets, void* keys, void* stream) {
  const std::int64_t blocks = key_blocks(list.n);
  write_runs<<<unsigned((blocks - 1) / written_blocks + 1), key_threads, 0,
               static_cast<cudaStream_t>(stream)>>>(
      list, blocks, words, static_cast<const std::uint32_t*>(bytes), offsets, keys);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
