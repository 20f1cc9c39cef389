// SPDX-License-Identifier: Apache-2.0
#include "cuda/fold_launch.cuh"
#include "cuda/full.hpp"
#include "cuda/kernels/extrema.cuh"

namespace onefold::cuda {

std::size_t extrema_workspace_bytes() {
  return folds::workspace_of<folds::extrema_fold<float>>;
}

int launch_extrema_full(const full_request& of, grid_shape grid, void* workspace,
                        std::int64_t* words, void* stream) {
  return with_type(of.input, [&]<class T>(detail::tag<T>) {
    return launch_fold<folds::extrema_fold<T>>(of, grid, workspace, words, stream);
  });
}

}  // namespace onefold::cuda
