// SPDX-License-Identifier: Apache-2.0
// Exponentials of floats, and of general strided layouts.

#include "cuda/kernels/strided/exponentials/exponential_columns.cuh"
#include "cuda/kernels/strided/exponentials/exponential_rows.cuh"
#include "cuda/kernels/strided/exponentials/shared_exponentials.cuh"
#include "cuda/kernels/strided/exponentials/strided_exponentials.cuh"
#include "cuda/kernels/strided/strided_entry.hpp"

namespace onefold::cuda {

int launch_strided_exponentials(const strided_request& request, unsigned blocks,
                                std::int64_t* words, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (const auto rows = exponential_rows_of(request))
    exponential_rows_kernel_of(request.x_kind.type, are_packed_exponentials(request, *rows))<<<
        blocks, row_tile_warps * warp_lanes, row_tile_warps * row_stages_bytes, queue>>>(
        request, *rows, exponential_answers_of(request, *rows));
  else
    strided_exponentials<<<blocks, strided_threads, 0, queue>>>(request, words);
  return int(cudaGetLastError());
}

int launch_exponentials_of_columns(const exponential_columns& columns, unsigned blocks,
                                   void* stream) {
  const auto run = columns.step <= exponential_step::join
                       ? exponential_columns_kernel_of(columns.request.x_kind.type)
                       : shared_exponentials;
  run<<<blocks, strided_threads, 0, static_cast<cudaStream_t>(stream)>>>(columns);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
