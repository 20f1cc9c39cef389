// SPDX-License-Identifier: Apache-2.0
#include "fast_kernels.hpp"

namespace onefold::test {
namespace {

template <class T>
void launch(simt::executor& device, simt::launch_config config,
            const cuda::fast_rows_arguments& a) {
  config.dynamic_shared_bytes =
      config.block.x / cuda::warp_lanes * cuda::fast_stage_words(a) * sizeof(std::int64_t);
  simt::launch(device, config, [a] { cuda::many_fast_rows<T>(a); });
}

template <class T>
void launch_columns(simt::executor& device, simt::launch_config config,
                    const cuda::fast_columns_arguments& a, onefold::accumulator what) {
  if (a.banded.groups > 0) config.block = {cuda::banded_threads};
  const std::size_t warps = config.block.x / cuda::warp_lanes;
  if (a.narrow.groups > 0)
    config.dynamic_shared_bytes =
        (a.banded.groups > 0 ? cuda::banded_words : warps * cuda::narrow_words) *
        sizeof(std::int64_t);
  simt::launch(device, config, [a, what] { cuda::many_fast_columns<T>(a, what); });
}

template <class T>
void launch_parts(simt::executor& device, simt::launch_config config, cuda::many_arguments of) {
  config.block = {cuda::fast_parts_threads};
  while (of.parts > 1) {
    const cuda::fast_parts_shape shape = cuda::shape_of_fast_parts(of.parts);
    std::int64_t* const next = of.partials + of.outer * of.inner * of.parts;
    const cuda::fast_parts_arguments a = {of, shape, next};
    simt::launch(device, config, [a] { cuda::many_fast_parts<T>(a); });
    of.partials = next, of.parts = shape.chunks;
  }
}

}  // namespace

fast_columns_kernel fast_columns_kernel_of(dtype input) {
  return input == dtype::f32 ? launch_columns<float> : launch_columns<double>;
}

fast_rows_kernel fast_rows_kernel_of(dtype input) {
  return input == dtype::f32 ? launch<float> : launch<double>;
}

fast_parts_kernel fast_parts_kernel_of(dtype input) {
  return input == dtype::f32 ? launch_parts<float> : launch_parts<double>;
}

}  // namespace onefold::test
