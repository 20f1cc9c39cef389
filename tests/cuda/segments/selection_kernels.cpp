// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/selections.cuh"
#include "tests/cuda/segments/kernels.cuh"

namespace onefold::test {

segments_kernel segment_selection_kernel(onefold::family of, dtype input) {
  if (of == onefold::family::tally) return kernel_of_fold<cuda::segment_tally>();
  if (of == onefold::family::bits) return kernel_of_fold<cuda::segment_bits>();
  return is_floating(input) ? kernel_of_fold<cuda::segment_extrema<true>>()
                            : kernel_of_fold<cuda::segment_extrema<false>>();
}

}  // namespace onefold::test
