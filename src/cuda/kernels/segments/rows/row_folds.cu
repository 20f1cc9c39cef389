// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of rows by tiles.

#include "cuda/kernels/segments/rows/row_folds.cuh"

namespace onefold::cuda {

int launch_row_folds(const row_folds& folds, unsigned blocks, void* stream) {
  row_folds_kernel_of(
      folds)<<<blocks, row_tile_warps * warp_lanes, row_tile_warps * row_stages_bytes,
               static_cast<cudaStream_t>(stream)>>>(folds);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
