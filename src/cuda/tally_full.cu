// SPDX-License-Identifier: Apache-2.0
#include "cuda/fold_launch.cuh"
#include "cuda/full.hpp"
#include "cuda/kernels/tally.cuh"

namespace onefold::cuda {

std::size_t tally_workspace_bytes() {
  return folds::workspace_of<folds::tally_fold<float>>;
}

int launch_tally_full(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                      void* stream) {
  return with_type(of.input, [&]<class T>(detail::tag<T>) {
    return launch_fold<folds::tally_fold<T>>(of, grid, workspace, words, stream);
  });
}

}  // namespace onefold::cuda
