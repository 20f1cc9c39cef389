// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of rows by tiles in shared memory: what a host asks for, without CUDA
// types.
#pragma once

#include "cuda/kernels/segments/segments.hpp"
#include "cuda/kernels/strided/strided_rows.hpp"

namespace onefold::cuda {

/// Answer k is that of row k, counted through all planes.
struct row_folds {
  segments_request request;
  strided_request nest;  ///< has_rows(nest); the accumulator is that of the request
  strided_rows rows;
  void* out = nullptr;           ///< as segments_block's
  std::int64_t first_index = 0;  ///< of the first element of each, for positions
  bool packed = false;           ///< are_packed(rows), of an operator that takes them
};

inline row_folds row_folds_of(const segments_request& request, strided_request nest, void* out,
                              std::int64_t first_index) {
  nest.accumulator = accumulator_of(request.op);
  const strided_rows rows = rows_of(nest, true);
  const std::int64_t bytes = size_bytes(request.output) * answers_of(request.op);
  const bool packed = are_packed(rows, nest.x_kind.bytes, out, bytes) &&
                      request.nan != nan_policy::error &&
                      (request.op != op::norminf || nest.x_kind.floating);
  return {request, nest, rows, out, first_index, packed};
}

/// Enqueues a kernel that writes the answers. Precondition: segments_take_rows(request.op), the
/// kernel table has the request, 0 < items <= 2^31. Returns a cudaError_t as int; 0 is success.
int launch_row_folds(const row_folds& folds, unsigned blocks, void* stream);

}  // namespace onefold::cuda
