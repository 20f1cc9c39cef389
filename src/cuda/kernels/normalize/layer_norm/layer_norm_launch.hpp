// SPDX-License-Identifier: Apache-2.0
// LayerNorm of rows in device memory: what a call and a launch of it are.
#pragma once

#include "cuda/kernels/normalize/row_launch.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/layer_norm_rows.hpp"

namespace onefold::cuda {

/// Enqueues the work on the executor's stream and returns without waiting. Precondition: no byte is
/// both read and written. Fails: unsupported (no CUDA in this build, no device, host memory),
/// mismatch (data of several memories), device_error.
status layer_norm(const executor::cuda& on, const layer_norm_rows& rows);

struct layer_norm_launch : row_launch {
  layer_norm_rows rows;
};

/// Precondition: there is a row.
inline layer_norm_launch layer_norm_launch_of(const layer_norm_rows& rows) {
  const bool aligned = has_vectors(rows.x) && has_vectors(rows.y) && has_vectors(rows.weight) &&
                       has_vectors(rows.bias);
  return {row_launch_of(aligned, rows.rows, rows.n, rows.stride, rows.type), rows};
}

/// Enqueues the kernel. Returns a cudaError_t as int; 0 is success.
int launch_layer_norm(const layer_norm_launch& launch, void* stream);

}  // namespace onefold::cuda
