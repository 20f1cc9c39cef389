// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/segments/positions.cuh"
#include "cuda/kernels/segments/segment_counts.cuh"
#include "tests/cuda/kernels/segments/kernels.cuh"

namespace onefold::test {

segments_kernel segment_selection_kernel(op operation, dtype input) {
  const onefold::accumulator kind = accumulator_of(operation);
  if (kind == onefold::accumulator::counts) return kernel_of_fold<cuda::segment_counts>();
  if (kind == onefold::accumulator::bits) return kernel_of_fold<cuda::segment_bits>();
  if (operation == op::argmin || operation == op::argmax)
    return kernel_of_fold<cuda::segment_positions>();
  return size_bytes(input) == 8 ? kernel_of_fold<cuda::segment_extrema<std::int64_t>>()
                                : kernel_of_fold<cuda::segment_extrema<std::int32_t>>();
}

}  // namespace onefold::test
