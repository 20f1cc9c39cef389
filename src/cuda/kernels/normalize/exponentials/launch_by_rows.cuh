// SPDX-License-Identifier: Apache-2.0
#pragma once
// Starts a kernel of rows that blocks or clusters of blocks share out, with their stages.

#include "cuda/kernels/normalize/exponentials/row_exponentials.cuh"

namespace onefold::cuda {

/// Returns a cudaError_t as int.
template <class Launch>
int launch_by_rows(void (*kernel)(Launch), const Launch& launch, void* stream) {
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {launch.cluster, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = launch.blocks, config.blockDim = launch.threads;
  config.dynamicSmemBytes = softmax_shared_bytes(launch);
  config.stream = static_cast<cudaStream_t>(stream);
  if (launch.cluster > 1) config.attrs = &cluster, config.numAttrs = 1;
  constexpr std::size_t usual_bytes = 48 * 1024;
  if (config.dynamicSmemBytes > usual_bytes)
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         int(config.dynamicSmemBytes));
  return int(cudaLaunchKernelEx(&config, kernel, launch));
}

}  // namespace onefold::cuda
