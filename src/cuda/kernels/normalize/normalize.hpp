// SPDX-License-Identifier: Apache-2.0
// RMSNorm and its gradients, softmax and log_softmax, class losses and their gradients, of rows in
// device memory. A build without CUDA has them too (none.cpp).
#pragma once

#include "cuda/kernels/normalize/exponentials/class_launch.hpp"
#include "cuda/kernels/normalize/gradient_launch.hpp"
#include "cuda/kernels/normalize/layer_norm/layer_norm_launch.hpp"
#include "cuda/kernels/normalize/row_launch.hpp"
#include "cuda/kernels/normalize/softmax_launch.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/class_rows.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold::cuda {

/// Enqueues the work on the executor's stream and returns without waiting; with states of whole
/// rows the host waits for them to be copied. Precondition: no byte is both read and written, but
/// dx of class_gradients may be x. Fails: unsupported (no CUDA in this build, no device, host
/// memory, states while the stream is captured), mismatch (data of several memories), out_of_memory
/// (for states), device_error.
status rms_norm(const executor::cuda& on, const rms_norm_rows& rows);
/// The gradients of RMSNorm, or of centred rows of LayerNorm. Inverses and means may be missing.
status norm_backward(const executor::cuda& on, const norm_gradients& rows);
status softmax(const executor::cuda& on, const softmax_rows& rows);
/// What is written may be what is read.
status softmax_backward(const executor::cuda& on, const softmax_gradients& rows);
status cross_entropy(const executor::cuda& on, const class_losses& rows);
status cross_entropy_backward(const executor::cuda& on, const class_gradients& rows);
status reduce_losses(const executor::cuda& on, const loss_sums& rows);
status loss_scales(const executor::cuda& on, const row_scales& rows);

struct rms_norm_launch : row_launch {
  rms_norm_rows rows;
};

/// Precondition: there is a row.
inline rms_norm_launch rms_norm_launch_of(const rms_norm_rows& rows) {
  const bool aligned = has_vectors(rows.x) && has_vectors(rows.y) && has_vectors(rows.weight) &&
                       has_vectors(rows.addend) && has_vectors(rows.sum) &&
                       rows.addend_stride * std::int64_t(size_bytes(rows.type)) % 16 == 0;
  return {row_launch_of(aligned, rows.rows, rows.n, rows.stride, rows.type), rows};
}

/// Enqueues the kernel. Returns a cudaError_t as int; 0 is success.
int launch_rms_norm(const rms_norm_launch& launch, void* stream);
/// The same of the kernels of a backward pass.
int launch_gradients(const gradient_launch& launch, void* stream);
int launch_softmax(const softmax_launch& launch, void* stream);
int launch_softmax_gradients(const softmax_gradient_launch& launch, void* stream);
int launch_losses(const loss_launch& launch, void* stream);
int launch_class_gradients(const class_gradient_launch& launch, void* stream);
int launch_loss_sums(const loss_sum_launch& launch, void* stream);
int launch_scales(const row_scales& rows, void* stream);

/// Whether the kernel for such rows can run in clusters on the current device.
bool softmax_has_clusters(const softmax_rows& rows);
bool softmax_gradients_have_clusters(const softmax_gradients& rows);

}  // namespace onefold::cuda
