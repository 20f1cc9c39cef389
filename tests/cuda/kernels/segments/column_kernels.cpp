// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/segments/columns/column_folds.cuh"
#include "tests/cuda/kernels/segments/kernels.hpp"

namespace onefold::test {
void run_selected_columns(simt::executor& device, simt::launch_config config,
                          const cuda::segment_arguments& fold, const cuda::strided_request& nest,
                          const cuda::column_parts& lanes, std::int64_t* partials) {
  cuda::selected_columns_arguments a = {fold, cuda::column_fold_of(fold.request), nest, lanes,
                                        partials};
  simt::launch(device, config, [a] { cuda::selected_columns(a); });
  if (!lanes.joins()) return;
  a.joins = true;
  simt::launch(device, config, [a] { cuda::selected_columns(a); });
}

}  // namespace onefold::test
