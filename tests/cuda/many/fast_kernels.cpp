// SPDX-License-Identifier: Apache-2.0
#include "cuda/many/fast_kernels.hpp"

namespace onefold::test {
namespace {

template <class T>
void launch(simt::executor& device, const simt::launch_config& config,
            const cuda::fast_rows_arguments& a) {
  simt::launch(device, config, [a] { cuda::many_fast_rows<T>(a); });
}

}  // namespace

fast_rows_kernel fast_rows_kernel_of(dtype input) {
  return input == dtype::f32 ? launch<float> : launch<double>;
}

}  // namespace onefold::test
