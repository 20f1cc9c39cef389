// SPDX-License-Identifier: Apache-2.0
// The kernel of src/cuda/kernels/gather for the executor.
#pragma once

#include "cuda/kernels/gather/gather.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

void launch_gather(simt::executor& gpu, const gather_launch& launch, unsigned blocks,
                   simt::schedule order);

}  // namespace onefold::cuda::test
