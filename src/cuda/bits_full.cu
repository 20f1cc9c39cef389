// SPDX-License-Identifier: Apache-2.0
#include "cuda/fold_launch.cuh"
#include "cuda/full.hpp"
#include "cuda/kernels/bits.cuh"

namespace onefold::cuda {

std::size_t bits_workspace_bytes() {
  return folds::workspace_of<folds::bits_fold<int>>;
}

int launch_bits_full(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                     void* stream) {
  return with_type(of.input, [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_integral_v<T>)
      return launch_fold<folds::bits_fold<T>>(of, grid, workspace, words, stream);
    else
      return int(cudaErrorInvalidValue);
  });
}

}  // namespace onefold::cuda
