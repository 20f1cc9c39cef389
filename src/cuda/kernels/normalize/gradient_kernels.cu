// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/gradient_start.cuh"
#include "cuda/kernels/normalize/normalize.hpp"

namespace onefold::cuda {

int launch_gradients(const gradient_launch& launch, void* stream) {
  const gradient_start start = gradient_start_of(launch);
  auto* const on = static_cast<cudaStream_t>(stream);
  if (start.long_rows != nullptr)
    start.long_rows<<<start.long_blocks, gradient_lanes, 0, on>>>(launch);
  if (start.rows != nullptr) {
    const auto bytes = int(launch.space().bytes());
    cudaFuncSetAttribute(start.rows, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    start.rows<<<dim3(launch.blocks, launch.strips), launch.threads, std::size_t(bytes), on>>>(
        launch);
  }
  if (start.columns != nullptr)
    start.columns<<<dim3(start.column_blocks, launch.strips), join_threads, 0, on>>>(launch);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
