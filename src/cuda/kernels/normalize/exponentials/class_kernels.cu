// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/normalize/exponentials/class_gradients.cuh"
#include "cuda/kernels/normalize/exponentials/cross_entropy.cuh"
#include "cuda/kernels/normalize/exponentials/launch_by_rows.cuh"
#include "cuda/kernels/normalize/exponentials/loss_sums.cuh"
#include "cuda/kernels/normalize/normalize.hpp"

namespace onefold::cuda {

int launch_losses(const loss_launch& launch, void* stream) {
  return launch_by_rows(loss_kernel_of(launch), launch, stream);
}

int launch_class_gradients(const class_gradient_launch& launch, void* stream) {
  class_gradient_kernel_of(launch)<<<dim3(launch.across, launch.down), class_gradient_lanes, 0,
                                     static_cast<cudaStream_t>(stream)>>>(launch);
  return int(cudaGetLastError());
}

int launch_loss_sums(const loss_sum_launch& launch, void* stream) {
  loss_sum_kernel<<<launch.blocks, loss_sum_lanes, 0, static_cast<cudaStream_t>(stream)>>>(launch);
  return int(cudaGetLastError());
}

int launch_scales(const row_scales& rows, void* stream) {
  row_scale_kernel<<<row_scale_blocks(rows.rows), row_scale_lanes, 0,
                     static_cast<cudaStream_t>(stream)>>>(rows);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
