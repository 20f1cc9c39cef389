// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/rms_norm.cuh"
#include "cuda/kernels/normalize/softmax.cuh"

#include <algorithm>

namespace onefold::cuda {

int launch_rms_norm(const rms_norm_launch& launch, void* stream) {
  const rms_norm_start start = rms_norm_start_of(launch);
  start.kernel<<<dim3(launch.across, launch.down), launch.threads, start.shared_bytes,
                 static_cast<cudaStream_t>(stream)>>>(launch.rows, launch.lanes);
  return int(cudaGetLastError());
}

bool softmax_has_clusters(const softmax_rows& rows) {
  softmax_launch any;
  any.rows = rows;
  cudaFuncAttributes found = {};
  if (cudaFuncGetAttributes(&found, softmax_kernel_of(any)) != cudaSuccess)
    return cudaGetLastError(), false;
  // One compiled for older devices has none, on any device.
  return std::min(found.ptxVersion, found.binaryVersion) >= 90;
}

int launch_softmax(const softmax_launch& launch, void* stream) {
  const softmax_start kernel = softmax_kernel_of(launch);
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
