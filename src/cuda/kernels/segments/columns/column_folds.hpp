// SPDX-License-Identifier: Apache-2.0
// Entry points for extrema, counts and bits of columns and of rows in pieces: what a host asks for,
// without CUDA types.
#pragma once

#include "cuda/kernels/segments/segments.hpp"
#include "cuda/kernels/strided/strided.hpp"
#include "cuda/loaders/column_parts.hpp"

namespace onefold::cuda {

struct column_folds {
  segments_request request;
  strided_request nest;  ///< the elements, of one or two reduced axes, aligned
  column_parts lanes;
  void* out = nullptr;           ///< as segments_block's
  std::int64_t first_index = 0;  ///< of the first element of each, for positions
};

/// Bytes of device memory that a launch needs besides its data; its contents do not matter.
inline std::size_t workspace_bytes_of(const column_folds& columns) {
  constexpr std::int64_t most_words = 5;  // of a sum
  const std::int64_t parts = columns.lanes.joins() ? columns.lanes.written() : 0;
  return std::size_t(columns.nest.outputs * parts * most_words) * sizeof(std::int64_t);
}

/// Enqueues one or two launches of a kernel that writes the answers; it reports no findings.
/// Precondition: segments_take_rows(request.op), the kernel table has the request,
/// 0 < items <= 2^30; the workspace is aligned to 8 bytes. Returns a cudaError_t as int; 0 is
/// success.
int launch_column_folds(const column_folds& columns, void* workspace, void* stream);

}  // namespace onefold::cuda
