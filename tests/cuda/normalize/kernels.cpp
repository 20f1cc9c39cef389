// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/normalize/rms_norm.cuh"
#include "cuda/normalize/softmax.cuh"

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
  if (of.way == row_way::held)
    simt::launch(gpu, config, [=] { rms_norm_kernel<T, row_way::held>(rows, lanes); });
  else if (of.way == row_way::streamed)
    simt::launch(gpu, config, [=] { rms_norm_kernel<T, row_way::streamed>(rows, lanes); });
  else
    simt::launch(gpu, config, [=] { rms_norm_kernel<T, row_way::elements>(rows, lanes); });
}

template <class T, bool Logarithm>
void start(simt::executor& gpu, const softmax_launch& of, simt::schedule order) {
  const simt::launch_config config = {
      .grid = {of.across, of.down}, .block = {of.threads}, .order = order};
  const softmax_rows rows = of.of;
  const unsigned lanes = of.lanes;
  if (of.way == row_way::held)
    simt::launch(gpu, config, [=] { softmax_kernel<T, row_way::held, Logarithm>(rows, lanes); });
  else if (of.way == row_way::streamed)
    simt::launch(gpu, config,
                 [=] { softmax_kernel<T, row_way::streamed, Logarithm>(rows, lanes); });
  else
    simt::launch(gpu, config,
                 [=] { softmax_kernel<T, row_way::elements, Logarithm>(rows, lanes); });
}

template <class T>
void start_softmax(simt::executor& gpu, const softmax_launch& of, simt::schedule order) {
  of.of.logarithm ? start<T, true>(gpu, of, order) : start<T, false>(gpu, of, order);
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

void launch_softmax(simt::executor& gpu, const softmax_launch& of, simt::schedule order) {
  switch (of.of.type) {
  case dtype::f16:
    return start_softmax<f16>(gpu, of, order);
  case dtype::bf16:
    return start_softmax<bf16>(gpu, of, order);
  default:
    return start_softmax<float>(gpu, of, order);
  }
}

}  // namespace onefold::cuda::test
