// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of rows by tiles in shared memory: what a host asks for, without CUDA
// types.
#pragma once

#include "cuda/nested/strided_rows.hpp"
#include "cuda/segments/segments.hpp"

namespace onefold::cuda {

/// Answer k is that of row k, counted through all planes.
struct row_folds {
  segments_request request;
  nested_request of;  ///< has_rows(of); the accumulator is that of the request
  strided_rows rows;
  void* out = nullptr;           ///< as segments_block's
  std::int64_t first_index = 0;  ///< of the first element of each, for positions
};

inline row_folds row_folds_of(const segments_request& request, nested_request of, void* out,
                              std::int64_t first_index) {
  of.of = accumulator_of(request.what);
  return {request, of, rows_of(of, true), out, first_index};
}

/// Enqueues a kernel that writes the answers. Precondition: segments_take_rows(request.what), the
/// kernel table has the request, 0 < items <= 2^31. Returns a cudaError_t as int; 0 is success.
int launch_row_folds(const row_folds& of, unsigned blocks, void* stream);

}  // namespace onefold::cuda
