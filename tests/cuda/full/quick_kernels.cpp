// SPDX-License-Identifier: Apache-2.0
#include "quick_kernels.hpp"

#include "cuda/full/quick.cuh"

namespace onefold::cuda::test {

std::size_t quick_workspace() {
  return quick_workspace_bytes;
}

void launch_quick(simt::executor& gpu, const simt::launch_config& config,
                  const quick_arguments& of) {
  simt::launch(gpu, config, [=] { quick_full(of); });
}

}  // namespace onefold::cuda::test
