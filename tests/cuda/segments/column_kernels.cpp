// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/columns.cuh"
#include "tests/cuda/segments/kernels.hpp"

namespace onefold::test {
namespace {

cuda::column_fold fold_of(const cuda::segments_request& request) {
  const onefold::accumulator of = accumulator_of(request.what);
  if (of == onefold::accumulator::counts) return cuda::column_fold::counts;
  if (of == onefold::accumulator::bits) return cuda::column_fold::bits;
  if (request.what == op::argmin || request.what == op::argmax) return cuda::column_fold::positions;
  return size_bytes(request.input) == 8 ? cuda::column_fold::wide_extrema
                                        : cuda::column_fold::extrema;
}

}  // namespace

void run_selected_columns(simt::executor& device, simt::launch_config config,
                          const cuda::segment_arguments& fold, const column_extents& of,
                          const void* x, std::int64_t* partials) {
  cuda::selected_columns_arguments a = {
      fold, fold_of(fold.request), x, of.outer, of.n, of.inner, of.parts, partials};
  simt::launch(device, config, [a] { cuda::selected_columns(a); });
  if (of.parts == 1) return;
  a.joins = true;
  simt::launch(device, config, [a] { cuda::selected_columns(a); });
}

}  // namespace onefold::test
