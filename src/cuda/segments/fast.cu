// SPDX-License-Identifier: Apache-2.0
// Fast sums of segments of floating elements.

#include "cuda/segments/entry.hpp"
#include "cuda/segments/fast/segments.cuh"
#include "cuda/segments/launch.cuh"

namespace onefold::cuda {
namespace {

template <class T>
int launch_fast(const segments_request& request, const segments_block& block, void* workspace,
                void* stream) {
  const segment_arguments a = segment_arguments_of(request, block, 1, workspace);
  const std::int64_t blocks = shape_of_segments(request, block).blocks;
  fast_segments<T><<<unsigned(blocks), warp_lanes, 0, static_cast<cudaStream_t>(stream)>>>(
      a, accumulator_of(request.what));
  return int(cudaGetLastError());
}

}  // namespace

segments_launcher fast_segment_sums(dtype input) {
  switch (input) {
  case dtype::f16:
  case dtype::bf16:
    return launch_fast<f16>;
  case dtype::f32:
    return launch_fast<float>;
  case dtype::f64:
    return launch_fast<double>;
  default:
    return nullptr;
  }
}

}  // namespace onefold::cuda
