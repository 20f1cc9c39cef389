// SPDX-License-Identifier: Apache-2.0
// The kernels of RMSNorm, softmax and class losses, compiled for the executor.
#pragma once

#include "cuda/kernels/normalize/normalize.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

void launch_rms_norm(simt::executor& gpu, const rms_norm_launch& launch, simt::schedule order);
void launch_layer_norm(simt::executor& gpu, const layer_norm_launch& launch, simt::schedule order);
void launch_gradients(simt::executor& gpu, const gradient_launch& launch, simt::schedule order);
void launch_softmax(simt::executor& gpu, const softmax_launch& launch, simt::schedule order);
void launch_softmax_gradients(simt::executor& gpu, const softmax_gradient_launch& launch,
                              simt::schedule order);
void launch_losses(simt::executor& gpu, const loss_launch& launch, simt::schedule order);
void launch_class_gradients(simt::executor& gpu, const class_gradient_launch& launch,
                            simt::schedule order);
void launch_loss_sums(simt::executor& gpu, const loss_sum_launch& launch, simt::schedule order);
void launch_scales(simt::executor& gpu, const row_scales& rows, simt::schedule order);

}  // namespace onefold::cuda::test
