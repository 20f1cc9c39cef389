// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of segments, of elements of every type.

#include "cuda/kernels/segments/positions.cuh"
#include "cuda/kernels/segments/segment_counts.cuh"
#include "cuda/kernels/segments/segments_entry.hpp"
#include "cuda/kernels/segments/segments_launch.cuh"

namespace onefold::cuda {

segments_launcher segment_selections(op op, dtype input) {
  const accumulator kind = accumulator_of(op);
  if (kind == accumulator::counts) return launch_fold<segment_counts>;
  if (kind == accumulator::bits) return launch_fold<segment_bits>;
  if (op == op::argmin || op == op::argmax) return launch_fold<segment_positions>;
  return size_bytes(input) == 8 ? launch_fold<segment_extrema<std::int64_t>>
                                : launch_fold<segment_extrema<std::int32_t>>;
}

}  // namespace onefold::cuda
