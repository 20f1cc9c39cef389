// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/rms_norm.cuh"
#include "cuda/kernels/normalize/softmax.cuh"

#include <algorithm>

namespace onefold::cuda {

int launch_rms_norm(const rms_norm_launch& of, void* stream) {
  const rms_norm_start start = rms_norm_start_of(of);
  start.kernel<<<dim3(of.across, of.down), of.threads, start.shared_bytes,
                 static_cast<cudaStream_t>(stream)>>>(of.of, of.lanes);
  return int(cudaGetLastError());
}

bool softmax_has_clusters(const softmax_rows& of) {
  softmax_launch any;
  any.of = of;
  cudaFuncAttributes found = {};
  if (cudaFuncGetAttributes(&found, softmax_kernel_of(any)) != cudaSuccess)
    return cudaGetLastError(), false;
  // One compiled for older devices has none, on any device.
  return std::min(found.ptxVersion, found.binaryVersion) >= 90;
}

int launch_softmax(const softmax_launch& of, void* stream) {
  const softmax_start kernel = softmax_kernel_of(of);
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {of.cluster, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = of.blocks, config.blockDim = of.threads;
  config.dynamicSmemBytes = softmax_shared_bytes(of);
  config.stream = static_cast<cudaStream_t>(stream);
  if (of.cluster > 1) config.attrs = &cluster, config.numAttrs = 1;
  constexpr std::size_t usual_bytes = 48 * 1024;
  if (config.dynamicSmemBytes > usual_bytes)
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         int(config.dynamicSmemBytes));
  return int(cudaLaunchKernelEx(&config, kernel, of));
}

}  // namespace onefold::cuda
