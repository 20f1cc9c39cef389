// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/gradient_start.cuh"
#include "cuda/kernels/normalize/normalize.hpp"
#include "cuda/kernels/normalize/softmax_gradients.cuh"

#include <algorithm>

namespace onefold::cuda {

int launch_gradients(const gradient_launch& launch, void* stream) {
  const gradient_start start = gradient_start_of(launch);
  auto* const on = static_cast<cudaStream_t>(stream);
  if (start.long_rows != nullptr)
    start.long_rows<<<start.long_blocks, gradient_lanes, 0, on>>>(launch);
  if (start.rows != nullptr) {
    const auto bytes = int(launch.space().bytes());
    // Less than 48 KiB need no such call, but rows of 8192 float32 took 310 us without it, 228 with
    // it (8192 of them on an H200).
    cudaFuncSetAttribute(start.rows, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    start.rows<<<dim3(launch.blocks, launch.strips), launch.threads, std::size_t(bytes), on>>>(
        launch);
  }
  if (start.columns != nullptr)
    start.columns<<<dim3(start.column_blocks, launch.strips, start.column_sets), join_threads, 0,
                    on>>>(launch);
  return int(cudaGetLastError());
}

bool softmax_gradients_have_clusters(const softmax_gradients& rows) {
  softmax_gradient_launch any = {};
  any.rows = rows, any.way = row_way::held;
  cudaFuncAttributes found = {};
  if (cudaFuncGetAttributes(&found, softmax_gradient_start_of(any).kernel) != cudaSuccess)
    return cudaGetLastError(), false;
  // One compiled for older devices has none, on any device.
  return std::min(found.ptxVersion, found.binaryVersion) >= 90;
}

int launch_softmax_gradients(const softmax_gradient_launch& launch, void* stream) {
  const softmax_gradient_start start = softmax_gradient_start_of(launch);
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {launch.cluster, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(launch.across, launch.down), config.blockDim = launch.threads;
  config.dynamicSmemBytes = start.shared_bytes;
  config.stream = static_cast<cudaStream_t>(stream);
  if (launch.cluster > 1) config.attrs = &cluster, config.numAttrs = 1;
  return int(cudaLaunchKernelEx(&config, start.kernel, launch));
}

}  // namespace onefold::cuda
