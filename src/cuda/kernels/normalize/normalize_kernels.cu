// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/exponentials/launch_by_rows.cuh"
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
  return launch_by_rows(softmax_kernel_of(launch), launch, stream);
}

}  // namespace onefold::cuda
