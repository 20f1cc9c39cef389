// SPDX-License-Identifier: Apache-2.0
// Answers of moments of narrow floats.

#include "cuda/nested/entry.hpp"
#include "cuda/nested/moments/columns.cuh"
#include "cuda/nested/moments/moments.cuh"
#include "cuda/nested/moments/rows.cuh"

namespace onefold::cuda {

int launch_nested_moments(const nested_request& of, unsigned blocks, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (const auto rows = moment_rows_of(of))
    moment_rows_kernel_of(of.x_kind.type)<<<blocks, row_tile_warps * warp_lanes,
                                            row_tile_warps * row_stages_bytes, queue>>>(
        of, *rows, quick_moments_of(of, *rows));
  else
    nested_moments<<<blocks, nested_threads, 0, queue>>>(of);
  return int(cudaGetLastError());
}

int launch_moments_of_columns(const moment_columns& of, unsigned blocks, void* stream) {
  nested_moment_columns<<<blocks, nested_threads, 0, static_cast<cudaStream_t>(stream)>>>(of);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
