// SPDX-License-Identifier: Apache-2.0
#include "cuda/normalize/rms_norm.cuh"
#include "cuda/normalize/softmax.cuh"

namespace onefold::cuda {

int launch_rms_norm(const rms_norm_launch& of, void* stream) {
  const rms_norm_start start = rms_norm_start_of(of);
  start.kernel<<<dim3(of.across, of.down), of.threads, start.shared_bytes,
                 static_cast<cudaStream_t>(stream)>>>(of.of, of.lanes);
  return int(cudaGetLastError());
}

int launch_softmax(const softmax_launch& of, void* stream) {
  softmax_kernel_of(
      of)<<<dim3(of.across, of.down), of.threads, 0, static_cast<cudaStream_t>(stream)>>>(of.of,
                                                                                          of.lanes);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
