// SPDX-License-Identifier: Apache-2.0
// Softmax, losses and their gradients as a device of sm_90 runs them, in clusters.
#define ONEFOLD_SIMT_CLUSTERS

#include "kernels.hpp"

#include "cuda/kernels/normalize/exponentials/class_gradients.cuh"
#include "cuda/kernels/normalize/exponentials/cross_entropy.cuh"
#include "cuda/kernels/normalize/exponentials/loss_sums.cuh"
#include "cuda/kernels/normalize/gradient_start.cuh"
#include "cuda/kernels/normalize/layer_norm/layer_norm.cuh"
#include "cuda/kernels/normalize/rms_norm.cuh"
#include "cuda/kernels/normalize/softmax.cuh"
#include "cuda/kernels/normalize/softmax_gradients.cuh"

namespace onefold::cuda::test {

void launch_rms_norm(simt::executor& gpu, const rms_norm_launch& launch, simt::schedule order) {
  const rms_norm_start start = rms_norm_start_of(launch);
  const simt::launch_config config = {.grid = {launch.across, launch.down},
                                      .block = {launch.threads},
                                      .dynamic_shared_bytes = start.shared_bytes,
                                      .order = order};
  simt::launch(gpu, config, [kernel = start.kernel, rows = launch.rows, lanes = launch.lanes] {
    kernel(rows, lanes);
  });
}

void launch_layer_norm(simt::executor& gpu, const layer_norm_launch& launch, simt::schedule order) {
  const layer_norm_start start = layer_norm_start_of(launch);
  const simt::launch_config config = {.grid = {launch.across, launch.down},
                                      .block = {launch.threads},
                                      .dynamic_shared_bytes = start.shared_bytes,
                                      .order = order};
  simt::launch(gpu, config, [kernel = start.kernel, rows = launch.rows, lanes = launch.lanes] {
    kernel(rows, lanes);
  });
}

void launch_gradients(simt::executor& gpu, const gradient_launch& launch, simt::schedule order) {
  const gradient_start start = gradient_start_of(launch);
  const auto run = [&](gradient_start::kernel kernel, simt::launch_config config) {
    config.order = order;
    if (kernel != nullptr) simt::launch(gpu, config, [kernel, launch] { kernel(launch); });
  };
  run(start.long_rows, {.grid = {start.long_blocks}, .block = {gradient_lanes}});
  run(start.rows, {.grid = {launch.blocks, launch.strips},
                   .block = {launch.threads},
                   .dynamic_shared_bytes = launch.space().bytes()});
  run(start.columns,
      {.grid = {start.column_blocks, launch.strips, start.column_sets}, .block = {join_threads}});
}

namespace {

template <class Launch>
void launch_by_rows(void (*kernel)(Launch), simt::executor& gpu, const Launch& launch,
                    simt::schedule order) {
  const simt::launch_config config = {.grid = {launch.blocks},
                                      .block = {launch.threads},
                                      .dynamic_shared_bytes = softmax_shared_bytes(launch),
                                      .order = order,
                                      .cluster = launch.cluster};
  simt::launch(gpu, config, [kernel, launch] { kernel(launch); });
}

}  // namespace

void launch_softmax(simt::executor& gpu, const softmax_launch& launch, simt::schedule order) {
  launch_by_rows(softmax_kernel_of(launch), gpu, launch, order);
}
void launch_losses(simt::executor& gpu, const loss_launch& launch, simt::schedule order) {
  launch_by_rows(loss_kernel_of(launch), gpu, launch, order);
}

void launch_class_gradients(simt::executor& gpu, const class_gradient_launch& launch,
                            simt::schedule order) {
  const simt::launch_config config = {
      .grid = {launch.across, launch.down}, .block = {class_gradient_lanes}, .order = order};
  simt::launch(gpu, config,
               [kernel = class_gradient_kernel_of(launch), launch] { kernel(launch); });
}

void launch_loss_sums(simt::executor& gpu, const loss_sum_launch& launch, simt::schedule order) {
  const simt::launch_config config = {
      .grid = {launch.blocks}, .block = {loss_sum_lanes}, .order = order};
  simt::launch(gpu, config, [launch] { loss_sum_kernel(launch); });
}
void launch_scales(simt::executor& gpu, const row_scales& rows, simt::schedule order) {
  const simt::launch_config config = {
      .grid = {row_scale_blocks(rows.rows)}, .block = {row_scale_lanes}, .order = order};
  simt::launch(gpu, config, [rows] { row_scale_kernel(rows); });
}

void launch_softmax_gradients(simt::executor& gpu, const softmax_gradient_launch& launch,
                              simt::schedule order) {
  const softmax_gradient_start start = softmax_gradient_start_of(launch);
  const simt::launch_config config = {.grid = {launch.across, launch.down},
                                      .block = {launch.threads},
                                      .dynamic_shared_bytes = start.shared_bytes,
                                      .order = order,
                                      .cluster = launch.cluster};
  simt::launch(gpu, config, [kernel = start.kernel, launch] { kernel(launch); });
}

}  // namespace onefold::cuda::test
