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

selected_columns_arguments arguments_of(const segments_request& request, const columns_block& block,
                                        std::int64_t parts) {
  segment_arguments fold = {};
  fold.request = request, fold.kind = kind_of(request.input);
  fold.of.out = block.out, fold.of.first_index = block.first_index;
  return {fold, fold_of(request), block.x, block.outer, block.n, block.inner, parts, nullptr};
}

void launch(const selected_columns_arguments& a, unsigned blocks, void* stream) {
  selected_columns<<<blocks, column_fold_threads, 0, static_cast<cudaStream_t>(stream)>>>(a);
}

}  // namespace

int launch_column_folds(const segments_request& request, const columns_block& block,
                        std::int64_t parts, void* workspace, void* stream) {
  selected_columns_arguments a = arguments_of(request, block, parts);
  a.partials = static_cast<std::int64_t*>(workspace);
  launch(a, grid_of((a.answers() * parts - 1) / column_fold_threads + 1), stream);
  if (parts > 1) {
    a.joins = true;
    launch(a, grid_of(a.answers()), stream);
  }
  return int(cudaGetLastError());
}

int launch_row_folds(const segments_request& request, const columns_block& block,
                     std::int64_t lanes, void* stream) {
  constexpr std::int64_t blocks_of_a_multiprocessor = 32;  // eight waves of four
  selected_columns_arguments a = arguments_of(request, block, lanes);
  a.of_rows = true;
  const std::int64_t most = blocks_of_a_multiprocessor * block.multiprocessors;
  launch(a, grid_of(std::min((block.outer * lanes - 1) / column_fold_threads + 1, most)), stream);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
