// SPDX-License-Identifier: Apache-2.0
#include "grid_kernels.hpp"

#include "cuda/primitives/grid.cuh"

namespace onefold::cuda::test {
namespace {

template <int Words>
ONEFOLD_DEVICE void tell(const std::int64_t* totals, const grid_fold& fold) {
  __syncthreads();
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x) fold.out[i] = totals[i];
  if (threadIdx.x == 0) atomicAdd(fold.who_has_it, 1u);
}

template <int Words>
void fold_words(const grid_fold& fold) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, totals);
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x)
    totals[i] = word_of_block(i, blockIdx.x);
  if (fold_blocks(totals, static_cast<grid_workspace<Words>*>(fold.workspace)))
    tell<Words>(totals, fold);
}

template <int Words>
void share_ends(const grid_fold& fold) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, totals);
  unsigned ended = 0, count = 0, bit = 1;
  for (unsigned first = 0; first < Words; first += blockDim.x, bit *= 2) {
    const unsigned i = first + threadIdx.x;
    const bool ends = i < Words && i % gridDim.x == blockIdx.x;
    if (i < Words) totals[i] = ends ? word_of_block(i, 0) : -1;
    if (ends) ended |= bit;
    count += unsigned(__syncthreads_count(ends));
  }
  auto* const workspace = static_cast<grid_workspace<Words>*>(fold.workspace);
  if (join_ended_words<Words>(totals, workspace, ended, count)) tell<Words>(totals, fold);
}

template <int Words>
void launch(simt::executor& gpu, simt::launch_config config, bool shared, const grid_fold& fold) {
  config.dynamic_shared_bytes = (Words + 1) * sizeof(std::int64_t);
  simt::launch(gpu, config, [=] { shared ? share_ends<Words>(fold) : fold_words<Words>(fold); });
}

}  // namespace

std::size_t grid_workspace_bytes(int words) {
  return words == 17 ? sizeof(grid_workspace<17>) : sizeof(grid_workspace<70>);
}

void launch_fold(simt::executor& gpu, simt::launch_config config, int words,
                 const grid_fold& fold) {
  words == 17 ? launch<17>(gpu, config, false, fold) : launch<70>(gpu, config, false, fold);
}

void launch_shared_end(simt::executor& gpu, simt::launch_config config, int words,
                       const grid_fold& fold) {
  words == 17 ? launch<17>(gpu, config, true, fold) : launch<70>(gpu, config, true, fold);
}

}  // namespace onefold::cuda::test
