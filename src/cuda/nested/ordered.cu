// SPDX-License-Identifier: Apache-2.0
// Products and sums of exponentials of general strided layouts.

#include "cuda/nested/entry.hpp"
#include "cuda/nested/ordered/log_row_blocks.cuh"
#include "cuda/nested/ordered/log_row_tiles.cuh"
#include "cuda/nested/ordered/log_sums.cuh"
#include "cuda/nested/ordered/log_tiles.cuh"
#include "cuda/nested/ordered/products.cuh"

namespace onefold::cuda {
namespace {

nested_kernel kernel_of(const nested_request& of) {
  const bool floats = is_floating(of.input);
  if (of.of == accumulator::product)
    return floats ? nested_products : folds::nested_folds<folds::any_product>;
  return floats ? nested_log_sums : folds::nested_integer_log_sums;
}

}  // namespace

int launch_nested_ordered(const nested_request& of, unsigned blocks, std::int64_t* words,
                          void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  if (const auto tiles = log_tiles_of(of))
    nested_log_tiles<<<blocks, row_tile_warps * warp_lanes, row_tile_warps * row_stages_bytes,
                       queue>>>(of, *tiles);
  else if (const auto shared = shared_log_rows_of(of))
    nested_log_row_tiles<<<blocks, row_tile_warps * warp_lanes, row_tile_warps * row_stages_bytes,
                           queue>>>(of, *shared);
  else if (const unsigned lanes = log_row_lanes_of(of))
    nested_log_row_blocks<<<blocks, lanes, 0, queue>>>(of);
  else
    kernel_of(of)<<<blocks, nested_threads, 0, queue>>>(of, words);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
