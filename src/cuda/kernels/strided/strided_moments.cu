// SPDX-License-Identifier: Apache-2.0
// Answers of moments of floats.

#include "cuda/kernels/strided/moments/ambiguous_columns.cuh"
#include "cuda/kernels/strided/moments/double_rows.cuh"
#include "cuda/kernels/strided/moments/moment_columns.cuh"
#include "cuda/kernels/strided/moments/moment_rows.cuh"
#include "cuda/kernels/strided/moments/packed_moments.cuh"
#include "cuda/kernels/strided/moments/strided_moments.cuh"
#include "cuda/kernels/strided/strided_entry.hpp"

namespace onefold::cuda {

int launch_strided_moments(const strided_request& request, unsigned blocks, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const unsigned threads = row_tile_warps * warp_lanes, bytes = row_tile_warps * row_stages_bytes;
  const auto rows = moment_rows_of(request);
  if (rows && request.x_kind.type == dtype::f64)
    strided_double_moment_rows<double_row_proof><<<blocks, threads, bytes, queue>>>(
        request, *rows, double_moments_answers(request.items, request.finish.correction));
  else if (rows && rows->packed)
    strided_packed_moments<<<blocks, threads, 0, queue>>>(request, rows->rows,
                                                          quick_moments_of(request, *rows));
  else if (rows)
    moment_rows_kernel_of(request.x_kind.type)<<<blocks, threads, bytes, queue>>>(
        request, *rows, quick_moments_of(request, *rows));
  else
    strided_moments<<<blocks, strided_threads, 0, queue>>>(request);
  return int(cudaGetLastError());
}

int launch_moments_of_columns(const moment_columns& columns, unsigned blocks, void* stream) {
  const auto run =
      columns.step <= column_step::join ? strided_moment_columns : ambiguous_moment_columns;
  run<<<blocks, strided_threads, 0, static_cast<cudaStream_t>(stream)>>>(columns);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
