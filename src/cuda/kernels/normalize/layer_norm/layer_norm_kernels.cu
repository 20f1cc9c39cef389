// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/layer_norm/layer_norm.cuh"

namespace onefold::cuda {

int launch_layer_norm(const layer_norm_launch& launch, void* stream) {
  const layer_norm_start start = layer_norm_start_of(launch);
  start.kernel<<<dim3(launch.across, launch.down), launch.threads, start.shared_bytes,
                 static_cast<cudaStream_t>(stream)>>>(launch.rows, launch.lanes);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
