// SPDX-License-Identifier: Apache-2.0
// RMSNorm, softmax and log_softmax of rows in device memory. A build without CUDA has them too
// (none.cpp).
#pragma once

#include "cuda/normalize/row_launch.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/rms_norm_rows.hpp"
#include "request/softmax_rows.hpp"

namespace onefold::cuda {

/// Enqueues the work on the executor's stream and returns without waiting. Precondition: no byte is
/// both read and written. Fails: unsupported (no CUDA in this build, no device, host memory),
/// mismatch (data of several memories), device_error.
status rms_norm(const executor::cuda& on, const rms_norm_rows& of);
status softmax(const executor::cuda& on, const softmax_rows& of);

template <class Rows>
struct normalize_launch : row_launch {
  Rows of;
};
using rms_norm_launch = normalize_launch<rms_norm_rows>;
using softmax_launch = normalize_launch<softmax_rows>;

/// Precondition: there is a row.
inline rms_norm_launch rms_norm_launch_of(const rms_norm_rows& of) {
  const bool aligned = has_vectors(of.x) && has_vectors(of.y) && has_vectors(of.weight);
  return {row_launch_of(aligned, of.rows, of.n, of.stride, of.type), of};
}
inline softmax_launch softmax_launch_of(const softmax_rows& of) {
  const bool aligned = has_vectors(of.x) && has_vectors(of.y);
  return {row_launch_of(aligned, of.rows, of.n, of.stride, of.type), of};
}

/// Enqueues the kernel. Returns a cudaError_t as int; 0 is success.
int launch_rms_norm(const rms_norm_launch& of, void* stream);
int launch_softmax(const softmax_launch& of, void* stream);

}  // namespace onefold::cuda
