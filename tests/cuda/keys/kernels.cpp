// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/keys/kernels.hpp"

#include "cuda/keys/runs.cuh"

namespace onefold::test {

void run_key_counts(simt::executor& device, const cuda::key_list& of, std::int64_t* words) {
  const std::int64_t blocks = cuda::key_blocks(of.n);
  simt::launch(device, {.grid = {unsigned(blocks)}, .block = {cuda::key_threads}},
               [=] { cuda::count_runs(of, words); });
  simt::launch(device, {.grid = {1}, .block = {cuda::key_threads}},
               [=] { cuda::sum_counts(words, blocks); });
}

void run_key_runs(simt::executor& device, const cuda::key_list& of, const std::int64_t* words,
                  std::int64_t* offsets, void* keys) {
  simt::launch(device, {.grid = {unsigned(cuda::key_blocks(of.n))}, .block = {cuda::key_threads}},
               [=] { cuda::write_runs(of, words, offsets, keys); });
}

}  // namespace onefold::test
