// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of runs of keys under the executor.

#include "cuda/keys/keys.hpp"
#include "simt/launch.hpp"

namespace onefold::test {

void run_key_counts(simt::executor& device, const cuda::key_list& of, std::int64_t* words,
                    std::uint32_t* bits);
void run_key_runs(simt::executor& device, const cuda::key_list& of, const std::int64_t* words,
                  const std::uint32_t* bits, std::int64_t* offsets, void* keys);

}  // namespace onefold::test
