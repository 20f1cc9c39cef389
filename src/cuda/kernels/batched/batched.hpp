// SPDX-License-Identifier: Apache-2.0
// Entry points of the kernels of many answers: what a host asks for, without CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "onefold/accuracy.hpp"
#include "onefold/dtype.hpp"
#include "onefold/op.hpp"

namespace onefold::cuda {

struct batched_request {
  onefold::op op = onefold::op::sum;  ///< sum, mean, norm1, norm2, sumsq
  onefold::accuracy accuracy = onefold::accuracy::exact;
  dtype input = dtype::f32;
  dtype output = dtype::f32;
};

/// Answers of a contiguous x[outer][n][inner], one for each of outer and inner: rows where inner is
/// 1, else columns; or of x[across][outer][n], one for each of outer. All in device memory, aligned
/// to their elements.
struct batched_block {
  const void* x = nullptr;
  std::int64_t outer = 1, n = 0, inner = 1;
  void* out = nullptr;             ///< outer * inner contiguous values of the output type
  unsigned multiprocessors = 132;  ///< of the device: what it can do at once, no matter of bits
  std::int64_t across = 1;         ///< above 1 inner is 1
};

/// Bytes of device memory that are zero before and after every launch.
inline constexpr std::size_t batched_cleared_bytes = 16;

/// Bytes of device memory that a launch needs besides; their contents do not matter.
std::size_t batched_workspace_bytes(const batched_request& request, const batched_block& block);

/// Enqueues one to three kernels that write the answers, each rounded once.
/// Precondition: the kernel table has the request, n * across <= 2^31, the workspace and what is
/// cleared are aligned to 8 bytes.
/// Returns a cudaError_t as int; 0 is success.
int launch_batched(const batched_request& request, const batched_block& block, void* workspace,
                   void* cleared, void* stream);

}  // namespace onefold::cuda
