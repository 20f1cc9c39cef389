// SPDX-License-Identifier: Apache-2.0
// Launches of extrema, counts and bits of columns.
#include "cuda/kernels/segments/columns/column_folds.cuh"

#include <algorithm>

namespace onefold::cuda {

int launch_column_folds(const column_folds& columns, void* workspace, void* stream) {
  constexpr std::int64_t most_blocks = std::int64_t(1) << 20;
  const segments_request& request = columns.request;
  segment_arguments fold = {};
  fold.request = request, fold.kind = kind_of(request.input);
  fold.block.out = columns.out, fold.block.first_index = columns.first_index;
  selected_columns_arguments a = {fold, column_fold_of(request), columns.nest, columns.lanes,
                                  static_cast<std::int64_t*>(workspace)};
  const auto launch = [&](std::int64_t lanes) {
    const std::int64_t blocks =
        std::clamp<std::int64_t>((lanes - 1) / strided_threads + 1, 1, most_blocks);
    selected_columns<<<unsigned(blocks), strided_threads, 0, static_cast<cudaStream_t>(stream)>>>(
        a);
  };
  launch(columns.nest.outputs * columns.lanes.count());
  if (columns.lanes.joins()) {
    a.joins = true;
    launch(columns.nest.outputs * strided_threads);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
