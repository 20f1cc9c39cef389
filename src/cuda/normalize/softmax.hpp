// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax of rows in device memory. A build without CUDA has softmax() too
// (none.cpp).
#pragma once

#include "cuda/normalize/row_launch.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/softmax_rows.hpp"

namespace onefold::cuda {

/// Enqueues the work on the executor's stream and returns without waiting. Precondition: no byte is
/// both read and written. Fails: as rms_norm().
status softmax(const executor::cuda& on, const softmax_rows& of);

struct softmax_launch : row_launch {
  softmax_rows of;
};

/// Precondition: there is a row.
inline softmax_launch softmax_launch_of(const softmax_rows& of) {
  const bool aligned = has_vectors(of.x) && has_vectors(of.y);
  return {row_launch_of(aligned, of.rows, of.n, of.stride, of.type), of};
}

/// Enqueues the kernel. Returns a cudaError_t as int; 0 is success.
int launch_softmax(const softmax_launch& of, void* stream);

}  // namespace onefold::cuda
