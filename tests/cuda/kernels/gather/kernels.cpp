// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/kernels/gather/gather.cuh"

namespace onefold::cuda::test {

void launch_gather(simt::executor& gpu, const gather_launch& launch, unsigned blocks,
                   simt::schedule order) {
  simt::launch(gpu, {.grid = {blocks}, .block = {gather_threads}, .order = order},
               [launch] { gather_elements(launch); });
}

}  // namespace onefold::cuda::test
