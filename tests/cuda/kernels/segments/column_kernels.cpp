// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/segments/columns/column_folds.cuh"
#include "tests/cuda/kernels/segments/kernels.hpp"

namespace onefold::test {
void run_selected_columns(simt::executor& device, simt::launch_config config,
                          const cuda::segment_arguments& fold, const column_extents& of,
                          const void* x, std::int64_t* partials) {
  cuda::selected_columns_arguments a = {
      fold,     cuda::column_fold_of(fold.request),
      x,        of.outer,
      of.n,     of.inner,
      of.parts, cuda::written_parts(of.parts, of.inner, config.block.x),
      partials};
  simt::launch(device, config, [a] { cuda::selected_columns(a); });
  if (of.parts == 1) return;
  a.joins = true;
  simt::launch(device, config, [a] { cuda::selected_columns(a); });
}

}  // namespace onefold::test
