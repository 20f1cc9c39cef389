// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/fast/segments.cuh"
#include "tests/cuda/segments/kernels.hpp"

namespace onefold::test {
namespace {

template <class T>
segments_kernel kernel_of() {
  return {[](simt::executor& device, simt::launch_config config, const cuda::segment_arguments& a) {
            const auto what = onefold::accumulator_of(a.request.what);
            simt::launch(device, config, [a, what] { cuda::fast_segments<T>(a, what); });
          },
          1};
}

}  // namespace

segments_kernel fast_segment_kernel(dtype input) {
  if (size_bytes(input) == 2) return kernel_of<f16>();
  return input == dtype::f64 ? kernel_of<double>() : kernel_of<float>();
}

}  // namespace onefold::test
