// SPDX-License-Identifier: Apache-2.0
#include "cuda/full/bits.cuh"
#include "cuda/full/fold_launch.cuh"

namespace onefold::cuda {

full_entry bits_entry(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> full_entry {
    // Words of 32 bits take 44 registers: a sixth block would come when the others are done.
    if constexpr (std::is_integral_v<T>)
      return fold_entry<folds::bits_fold<T>>(sizeof(T) == 4 ? 5 : 6);
    else
      return {};
  });
}

}  // namespace onefold::cuda
