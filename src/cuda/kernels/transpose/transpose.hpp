// SPDX-License-Identifier: Apache-2.0
// Transposes on a device. A build without CUDA has transpose() too (none.cpp), which says so.
#pragma once

#include "cuda/kernels/transpose/shapes.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/matrix_copy.hpp"

namespace onefold::cuda {

/// Copies a matrix from device memory to device memory, after what the stream holds, and waits.
/// Precondition: no byte is both read and written.
/// Fails: unsupported (no CUDA in this build, no device, host memory), mismatch (data of another
/// device), device_error.
status transpose(const executor::cuda& on, const matrix_copy& copy);

/// A copy and how it is made. A block takes a tile; they walk down the columns of tiles.
struct transpose_launch {
  matrix_copy copy;
  transpose_way way;
  any_tile tile;
  unsigned across, down;  ///< tiles
  bool by_tiles() const { return way <= transpose_way::words; }
};

/// Precondition: the matrix has elements.
transpose_launch transpose_launch_of(const matrix_copy& copy);

/// Enqueues the kernel. Returns a cudaError_t as int; 0 is success.
int launch_transpose(const transpose_launch& launch, void* stream);

}  // namespace onefold::cuda
