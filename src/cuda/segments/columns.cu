// SPDX-License-Identifier: Apache-2.0
// Launches of extrema, counts and bits of columns.
#include "cuda/segments/columns.cuh"

#include <algorithm>

#include "cuda/segments/entry.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t most_blocks = std::int64_t(1) << 20;

selected_columns_arguments arguments_of(const segments_request& request, const columns_block& block,
                                        std::int64_t parts) {
  segment_arguments fold = {};
  fold.request = request, fold.kind = kind_of(request.input);
  fold.of.out = block.out, fold.of.first_index = block.first_index;
  return {fold,    column_fold_of(request),
          block.x, block.outer,
          block.n, block.inner,
          parts,   written_parts(parts, block.inner, column_fold_threads),
          nullptr};
}

void launch(const selected_columns_arguments& a, std::int64_t blocks, void* stream) {
  selected_columns<<<unsigned(std::clamp<std::int64_t>(blocks, 1, most_blocks)),
                     column_fold_threads, 0, static_cast<cudaStream_t>(stream)>>>(a);
}

}  // namespace

int launch_column_folds(const segments_request& request, const columns_block& block,
                        std::int64_t parts, void* workspace, void* stream) {
  selected_columns_arguments a = arguments_of(request, block, parts);
  a.partials = static_cast<std::int64_t*>(workspace);
  launch(a, (a.answers() * parts - 1) / column_fold_threads + 1, stream);
  if (parts > 1) {
    a.joins = true;
    launch(a, a.answers(), stream);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
