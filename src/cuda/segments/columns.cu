// SPDX-License-Identifier: Apache-2.0
// Launches of extrema, counts and bits of columns.
#include "cuda/segments/columns.cuh"

#include <algorithm>

#include "cuda/segments/entry.hpp"

namespace onefold::cuda {
namespace {

column_fold fold_of(const segments_request& request) {
  const family of = family_of(request.what);
  if (of == family::tally) return column_fold::tally;
  if (of == family::bits) return column_fold::bits;
  if (request.what == op::argmin || request.what == op::argmax) return column_fold::positions;
  return size_bytes(request.input) == 8 ? column_fold::wide_extremes : column_fold::extremes;
}

unsigned grid_of(std::int64_t wanted) {
  return unsigned(std::clamp<std::int64_t>(wanted, 1, std::int64_t(1) << 20));
}

}  // namespace

int launch_column_folds(const segments_request& request, const columns_block& block,
                        std::int64_t parts, void* workspace, void* stream) {
  segment_arguments fold = {};
  fold.request = request, fold.kind = kind_of(request.input);
  fold.of.out = block.out, fold.of.first_index = block.first_index;
  selected_columns_arguments a = {
      fold,    fold_of(request), block.x, block.outer,
      block.n, block.inner,      parts,   static_cast<std::int64_t*>(workspace)};
  auto* const queue = static_cast<cudaStream_t>(stream);
  const std::int64_t lanes = a.answers() * parts;
  selected_columns<<<grid_of((lanes - 1) / column_fold_threads + 1), column_fold_threads, 0,
                     queue>>>(a);
  if (parts > 1) {
    a.joins = true;
    selected_columns<<<grid_of(a.answers()), column_fold_threads, 0, queue>>>(a);
  }
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
