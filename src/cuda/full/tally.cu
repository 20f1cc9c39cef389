// SPDX-License-Identifier: Apache-2.0
#include "cuda/full/fold_launch.cuh"
#include "cuda/full/tally.cuh"

namespace onefold::cuda {

full_entry tally_entry(dtype input) {
  return with_type(input,
                   []<class T>(detail::tag<T>) { return fold_entry<folds::tally_fold<T>>(6); });
}

}  // namespace onefold::cuda
