// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/kernels/segments/kernels.cuh"

namespace onefold::test {

segments_kernel segment_integer_kernel(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> segments_kernel {
    if constexpr (!std::is_integral_v<T>)
      return {};
    else if constexpr (std::is_same_v<T, bool>)
      return kernel_of_fold<cuda::segment_sums<
          cuda::batched_integers<onefold::accumulator::total, cuda::bool_byte>>>();
    else
      return kernel_of_fold<
          cuda::segment_sums<cuda::batched_integers<onefold::accumulator::total, T>>>();
  });
}

}  // namespace onefold::test
