// SPDX-License-Identifier: Apache-2.0
// RMSNorm of rows in device memory. A build without CUDA has rms_norm() too (none.cpp).
#pragma once

#include "onefold/executor.hpp"
#include "onefold/status.hpp"
#include "request/rms_norm_rows.hpp"

namespace onefold::cuda {

/// Enqueues the work on the executor's stream and returns without waiting. Precondition: no byte is
/// both read and written. Fails: unsupported (no CUDA in this build, no device, host memory),
/// mismatch (data of several memories), device_error.
status rms_norm(const executor::cuda& on, const rms_norm_rows& of);

/// How the elements of a row come to its lanes.
enum class rms_norm_way : unsigned char {
  held,      ///< aligned vectors, which stay in registers
  streamed,  ///< aligned vectors, read twice
  elements,  ///< one by one, read twice: any alignment
};

/// Vectors of 16 bytes that a lane holds at a time.
inline constexpr unsigned rms_norm_vectors = 4;
/// Lanes of a block at most: rows of up to 32 KiB are held.
inline constexpr unsigned rms_norm_lanes = 512;

/// A launch. Rows of at most 32 lanes, a power of two, share a block; others have one each.
struct rms_norm_launch {
  rms_norm_rows of;
  rms_norm_way way;
  unsigned lanes;         ///< of a row: a power of two, or a multiple of 32
  unsigned threads;       ///< of a block
  unsigned across, down;  ///< blocks of a grid of two dimensions
};

/// Precondition: there is a row.
rms_norm_launch rms_norm_launch_of(const rms_norm_rows& of);

/// Enqueues the kernel. Returns a cudaError_t as int; 0 is success.
int launch_rms_norm(const rms_norm_launch& of, void* stream);

}  // namespace onefold::cuda
