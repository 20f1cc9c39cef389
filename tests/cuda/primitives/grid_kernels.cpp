// SPDX-License-Identifier: Apache-2.0
#include "grid_kernels.hpp"

#include "cuda/primitives/grid.cuh"

namespace onefold::cuda::test {
namespace {

template <int Words>
ONEFOLD_DEVICE void tell(const std::int64_t* totals, const grid_fold& of) {
  __syncthreads();
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x) of.out[i] = totals[i];
  if (threadIdx.x == 0) atomicAdd(of.who_has_it, 1u);
}

template <int Words>
void fold_words(const grid_fold& of) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, totals);
  for (unsigned i = threadIdx.x; i < Words; i += blockDim.x)
    totals[i] = word_of_block(i, blockIdx.x);
  if (fold_blocks(totals, static_cast<grid_workspace<Words>*>(of.workspace)))
    tell<Words>(totals, of);
}

template <int Words>
void share_ends(const grid_fold& of) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, totals);
  unsigned mine = 0, count = 0, bit = 1;
  for (unsigned first = 0; first < Words; first += blockDim.x, bit *= 2) {
    const unsigned i = first + threadIdx.x;
    const bool ends = i < Words && i % gridDim.x == blockIdx.x;
    if (i < Words) totals[i] = ends ? word_of_block(i, 0) : -1;
    if (ends) mine |= bit;
    count += unsigned(__syncthreads_count(ends));
  }
  auto* const workspace = static_cast<grid_workspace<Words>*>(of.workspace);
  if (join_ended_words<Words>(totals, workspace, mine, count)) tell<Words>(totals, of);
}

template <int Words>
void launch(simt::executor& gpu, simt::launch_config config, bool shared, const grid_fold& of) {
  config.dynamic_shared_bytes = (Words + 1) * sizeof(std::int64_t);
  simt::launch(gpu, config, [=] { shared ? share_ends<Words>(of) : fold_words<Words>(of); });
}

}  // namespace

std::size_t grid_workspace_bytes(int words) {
  return words == 17 ? sizeof(grid_workspace<17>) : sizeof(grid_workspace<70>);
}

void launch_fold(simt::executor& gpu, simt::launch_config config, int words, const grid_fold& of) {
  words == 17 ? launch<17>(gpu, config, false, of) : launch<70>(gpu, config, false, of);
}

void launch_shared_end(simt::executor& gpu, simt::launch_config config, int words,
                       const grid_fold& of) {
  words == 17 ? launch<17>(gpu, config, true, of) : launch<70>(gpu, config, true, of);
}

}  // namespace onefold::cuda::test
