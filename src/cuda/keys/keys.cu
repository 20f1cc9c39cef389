// SPDX-License-Identifier: Apache-2.0
#include "cuda/keys/keys.hpp"

#include "cuda/keys/runs.cuh"

namespace onefold::cuda {

int launch_key_counts(const key_list& of, std::int64_t* words, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const std::int64_t blocks = key_blocks(of.n);
  count_runs<<<unsigned(blocks), key_threads, 0, queue>>>(of, words);
  sum_counts<<<1, key_threads, 0, queue>>>(words, blocks);
  return int(cudaGetLastError());
}

int launch_key_runs(const key_list& of, const std::int64_t* words, std::int64_t* offsets,
                    void* keys, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  write_runs<<<unsigned(key_blocks(of.n)), key_threads, 0, queue>>>(of, words, offsets, keys);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
