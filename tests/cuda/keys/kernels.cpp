// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/keys/kernels.hpp"

#include "cuda/keys/runs.cuh"

namespace onefold::test {

void run_key_counts(simt::executor& device, const cuda::key_list& of, std::int64_t* words,
                    std::uint32_t* bits) {
  simt::launch(device, {.grid = {unsigned(cuda::key_blocks(of.n))}, .block = {cuda::key_threads}},
               [=] { cuda::count_runs(of, words, bits); });
}

void run_key_runs(simt::executor& device, const cuda::key_list& of, const std::int64_t* words,
                  const std::uint32_t* bits, std::int64_t* offsets, void* keys) {
  const std::int64_t blocks = cuda::key_blocks(of.n);
  const auto grid = unsigned((blocks - 1) / cuda::written_blocks + 1);
  simt::launch(device, {.grid = {grid}, .block = {cuda::key_threads}},
               [=] { cuda::write_runs(of, blocks, words, bits, offsets, keys); });
}

}  // namespace onefold::test
