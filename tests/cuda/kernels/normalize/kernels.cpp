// SPDX-License-Identifier: Apache-2.0
// Softmax as a device of sm_90 runs it, in clusters.
#define ONEFOLD_SIMT_CLUSTERS

#include "kernels.hpp"

#include "cuda/kernels/normalize/rms_norm.cuh"
#include "cuda/kernels/normalize/softmax.cuh"

namespace onefold::cuda::test {

void launch_rms_norm(simt::executor& gpu, const rms_norm_launch& launch, simt::schedule order) {
  const rms_norm_start start = rms_norm_start_of(launch);
  const simt::launch_config config = {.grid = {launch.across, launch.down},
                                      .block = {launch.threads},
                                      .dynamic_shared_bytes = start.shared_bytes,
                                      .order = order};
  simt::launch(gpu, config, [kernel = start.kernel, rows = launch.rows, lanes = launch.lanes] {
    kernel(rows, lanes);
  });
}

void launch_softmax(simt::executor& gpu, const softmax_launch& launch, simt::schedule order) {
  const simt::launch_config config = {.grid = {launch.blocks},
                                      .block = {launch.threads},
                                      .dynamic_shared_bytes = softmax_shared_bytes(launch),
                                      .order = order,
                                      .cluster = launch.cluster};
  simt::launch(gpu, config, [kernel = softmax_kernel_of(launch), launch] { kernel(launch); });
}

}  // namespace onefold::cuda::test
