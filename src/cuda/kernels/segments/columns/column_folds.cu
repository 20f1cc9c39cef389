// SPDX-License-Identifier: Apache-2.0
// Launches of extrema, counts and bits of columns.
#include "cuda/kernels/segments/columns/column_folds.cuh"

#include <algorithm>

#include "cuda/kernels/segments/segments_entry.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t most_blocks = std::int64_t(1) << 20;

selected_columns_arguments arguments_of(const column_folds_launch& launch) {
  const segments_request& request = launch.request;
  const columns_block& block = launch.block;
  const std::int64_t parts = launch.parts;
  segment_arguments fold = {};
  fold.request = request, fold.kind = kind_of(request.input);
  fold.block.out = block.out, fold.block.first_index = block.first_index;
  return {fold,    column_fold_of(request),
          block.x, block.outer,
          block.n, block.inner,
          parts,   written_parts(parts, block.inner, column_fold_threads),
          nullptr};
}

void launch_kernel(const selected_columns_arguments& a, std::int64_t blocks, void* stream) {
  selected_columns<<<unsigned(std::clamp<std::int64_t>(blocks, 1, most_blocks)),
                     column_fold_threads, 0, static_cast<cudaStream_t>(stream)>>>(a);
}

}  // namespace

int enqueue_column_folds(const column_folds_launch& launch, void* workspace, void* stream) {
  selected_columns_arguments a = arguments_of(launch);
  a.partials = static_cast<std::int64_t*>(workspace);
  launch_kernel(a, (a.answers() * a.parts - 1) / column_fold_threads + 1, stream);
  if (a.parts > 1) {
    a.joins = true;
    launch_kernel(a, a.answers(), stream);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
