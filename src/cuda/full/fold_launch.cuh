// SPDX-License-Identifier: Apache-2.0
// What the files that instantiate folds of one array share: nvcc's way to launch one.
#pragma once

#include "cuda/full/entry.hpp"
#include "cuda/full/one_launch.cuh"

namespace onefold::cuda {

/// As launch_full, for a accumulator whose fold of elements of T is Fold<T>.
template <class Fold>
int launch_fold(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                void* stream) {
  const bool fits = grid.blocks >= 1 && grid.blocks <= folds::most_blocks && grid.threads >= 32 &&
                    grid.threads <= folds::most_threads && grid.threads % 32 == 0;
  if (!fits) return int(cudaErrorInvalidConfiguration);
  folds::fold_full<Fold><<<grid.blocks, grid.threads, 0, static_cast<cudaStream_t>(stream)>>>(
      of.x, of.n, workspace, words, of.finish);
  return int(cudaGetLastError());
}

template <class Fold>
full_entry fold_entry() {
  return {folds::workspace_of<Fold>, folds::most_threads, folds::blocks_each, launch_fold<Fold>};
}

}  // namespace onefold::cuda
