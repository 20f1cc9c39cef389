// SPDX-License-Identifier: Apache-2.0
#pragma once
// How kernels of segments are started under the executor.

#include "cuda/kernels/segments/segment_sums.cuh"
#include "cuda/kernels/segments/segments.cuh"
#include "tests/cuda/kernels/segments/kernels.hpp"

namespace onefold::test {

template <class Fold>
segments_kernel kernel_of_fold() {
  return {[](simt::executor& device, simt::launch_config config, const cuda::segment_arguments& a) {
            config.dynamic_shared_bytes = config.block.x / cuda::warp_lanes *
                                          std::size_t(cuda::segment_space<Fold>::words) *
                                          sizeof(std::int64_t);
            simt::launch(device, config, [a] { cuda::segments_of<Fold>(a); });
          },
          Fold::sum::parts};
}

}  // namespace onefold::test
