// SPDX-License-Identifier: Apache-2.0
// Entry points for extrema, counts and bits of columns: what a host asks for, without CUDA types.
#pragma once

#include "cuda/kernels/segments/segments.hpp"

namespace onefold::cuda {

/// Answer k = (o, c) is that of x[o][0 … n - 1][c], contiguous. All in device memory, aligned to
/// their elements.
struct columns_block {
  const void* x = nullptr;
  std::int64_t outer = 1, n = 0, inner = 1;
  void* out = nullptr;           ///< as segments_block's
  std::int64_t first_index = 0;  ///< of the first element of each, for positions
  unsigned multiprocessors = 132;
};

struct column_folds_launch {
  segments_request request;
  columns_block block;
  std::int64_t parts;           ///< of a column: column_parts.hpp
  std::size_t workspace_bytes;  ///< device memory besides the data; its contents do not matter
};

column_folds_launch plan_column_folds(const segments_request& request, const columns_block& block);

/// Enqueues one or two launches of a kernel that writes the answers; it reports no findings.
/// Precondition: segments_take_rows(request.op), the kernel table has the request, 0 < n <= 2^30;
/// the workspace is aligned to 8 bytes. Returns a cudaError_t as int; 0 is success.
int enqueue_column_folds(const column_folds_launch& launch, void* workspace, void* stream);

inline constexpr unsigned column_fold_threads = 256;  ///< of a block

}  // namespace onefold::cuda
