// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of whole arrays: a kernel for each width of elements.

#include "cuda/kernels/whole/whole_counts.cuh"
#include "cuda/kernels/whole/whole_entry.hpp"
#include "cuda/kernels/whole/whole_extrema.cuh"

namespace onefold::cuda {
namespace {

template <class Fold>
int launch_fold(const whole_request& request, grid_shape grid, void* workspace, std::int64_t* words,
                void* stream) {
  const bool fits = grid.blocks >= 1 && grid.blocks <= folds::most_blocks && grid.threads >= 32 &&
                    grid.threads <= folds::most_threads && grid.threads % 32 == 0;
  if (!fits) return int(cudaErrorInvalidConfiguration);
  folds::fold_whole<Fold><<<grid.blocks, grid.threads, 0, static_cast<cudaStream_t>(stream)>>>(
      request.x, kind_of(request.input), request.n, workspace, words, request.finish);
  return int(cudaGetLastError());
}

template <class Fold>
whole_entry entry_of() {
  return {folds::workspace_of<Fold>, folds::most_threads, folds::blocks_each, launch_fold<Fold>};
}

template <template <class> class Fold>
whole_entry entry_of_width(dtype input) {
  return with_width<whole_entry>(size_bytes(input),
                                 []<class Raw>(detail::tag<Raw>) { return entry_of<Fold<Raw>>(); });
}

}  // namespace

whole_entry selection_entry(accumulator kind, dtype input) {
  if (kind == accumulator::extrema) return entry_of_width<folds::extrema_fold>(input);
  if (kind == accumulator::counts) return entry_of_width<folds::count_fold>(input);
  return is_floating(input) ? whole_entry() : entry_of_width<folds::bits_fold>(input);
}

}  // namespace onefold::cuda
