// SPDX-License-Identifier: Apache-2.0
#include "cuda/full/counts.cuh"
#include "cuda/full/fold_launch.cuh"

namespace onefold::cuda {
namespace {

// Zero is zero with a sign and without: one kernel for the integers of a width.
template <class T>
using counted = std::conditional_t<
    !std::is_integral_v<T>, T,
    std::conditional_t<
        sizeof(T) == 1, std::uint8_t,
        std::conditional_t<sizeof(T) == 2, std::uint16_t,
                           std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>>;

}  // namespace

full_entry counts_entry(dtype input) {
  return with_type(
      input, []<class T>(detail::tag<T>) { return fold_entry<folds::count_fold<counted<T>>>(); });
}

}  // namespace onefold::cuda
