// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/normalize/rms_norm.cuh"

namespace onefold::cuda::test {
namespace {

template <class T>
void start(simt::executor& gpu, const rms_norm_launch& of, simt::schedule order) {
  const simt::launch_config config = {.grid = {of.across, of.down},
                                      .block = {of.threads},
                                      .dynamic_shared_bytes =
                                          rms_norm_words<T>(of.threads) * sizeof(std::int64_t),
                                      .order = order};
  const rms_norm_rows rows = of.of;
  const unsigned lanes = of.lanes;
  if (of.way == rms_norm_way::held)
    simt::launch(gpu, config, [=] { rms_norm_kernel<T, rms_norm_way::held>(rows, lanes); });
  else if (of.way == rms_norm_way::streamed)
    simt::launch(gpu, config, [=] { rms_norm_kernel<T, rms_norm_way::streamed>(rows, lanes); });
  else
    simt::launch(gpu, config, [=] { rms_norm_kernel<T, rms_norm_way::elements>(rows, lanes); });
}

}  // namespace

void launch_rms_norm(simt::executor& gpu, const rms_norm_launch& of, simt::schedule order) {
  switch (of.of.type) {
  case dtype::f16:
    return start<f16>(gpu, of, order);
  case dtype::bf16:
    return start<bf16>(gpu, of, order);
  case dtype::f32:
    return start<float>(gpu, of, order);
  default:
    return start<double>(gpu, of, order);
  }
}

}  // namespace onefold::cuda::test
