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

/// Which kernel copies.
enum class transpose_way : unsigned char {
  vectors,  ///< rows to columns, all rows aligned to 16 bytes
  words,    ///< rows to columns
  gather,   ///< rows of a few bytes, one after the other, to columns
  scatter,  ///< a few rows to such columns
  items,    ///< any strides
};

/// A copy and the kernel for it.
struct transpose_launch {
  matrix_copy copy;
  transpose_way way;
  turn_grid turns;   ///< of way::vectors and way::words
  any_tile tiles;    ///< of way::items
  narrow_slab slab;  ///< of way::gather and way::scatter
  unsigned blocks;
};

/// Precondition: the matrix has elements.
transpose_launch transpose_launch_of(const matrix_copy& copy);

/// Enqueues the kernel. Returns a cudaError_t as int; 0 is success.
int launch_transpose(const transpose_launch& launch, void* stream);

}  // namespace onefold::cuda
