// SPDX-License-Identifier: Apache-2.0
#include "cuda/full/extrema.cuh"
#include "cuda/full/fold_launch.cuh"

namespace onefold::cuda {

full_entry extrema_entry(dtype input) {
  return with_type(input,
                   []<class T>(detail::tag<T>) { return fold_entry<folds::extrema_fold<T>>(); });
}

}  // namespace onefold::cuda
