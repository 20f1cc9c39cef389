// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/segments/rows/row_folds.cuh"
#include "tests/cuda/kernels/segments/kernels.hpp"

namespace onefold::test {

void run_row_folds(simt::executor& device, simt::launch_config config,
                   const cuda::row_folds& folds) {
  config.dynamic_shared_bytes = std::size_t(cuda::row_tile_warps * cuda::row_stages_bytes);
  const cuda::row_folds_kernel run = cuda::row_folds_kernel_of(folds);
  simt::launch(device, config, [=] { run(folds); });
}

}  // namespace onefold::test
