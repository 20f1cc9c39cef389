// SPDX-License-Identifier: Apache-2.0
#include "cuda/full/bits.cuh"
#include "cuda/full/fold_launch.cuh"

namespace onefold::cuda {

full_entry bits_entry(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> full_entry {
    if constexpr (std::is_integral_v<T>)
      return fold_entry<folds::bits_fold<T>>();
    else
      return {};
  });
}

}  // namespace onefold::cuda
