// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/kernels/transpose/any.cuh"
#include "cuda/kernels/transpose/narrow.cuh"
#include "cuda/kernels/transpose/tiles.cuh"

namespace onefold::cuda::test {

void launch_transpose(simt::executor& gpu, const transpose_launch& launch, simt::schedule order) {
  const matrix_copy copy = launch.copy;
  const auto with = [&](unsigned threads, std::size_t shared) {
    return simt::launch_config{.grid = {launch.blocks},
                               .block = {threads},
                               .dynamic_shared_bytes = shared,
                               .order = order};
  };
  const std::int64_t item = copy.item_bytes;
  const bool vectors = launch.way == transpose_way::vectors,
             gathers = launch.way == transpose_way::gather;
  if (launch.way == transpose_way::items) {
    simt::launch(gpu, with(any_threads, 0),
                 [copy, tiles = launch.tiles] { copy_any(copy, tiles); });
  } else if (vectors || launch.way == transpose_way::words) {
    const turn_block block = turn_block_of(unsigned(item), vectors);
    const auto kernel = vectors ? turn_kernel_of<true>(item) : turn_kernel_of<false>(item);
    simt::launch(gpu, with(block.threads, block.bytes),
                 [copy, kernel, turns = launch.turns] { kernel(copy, turns); });
  } else {
    const auto kernel = gathers ? narrow_kernel_of<true>(item) : narrow_kernel_of<false>(item);
    simt::launch(gpu, with(narrow_threads, launch.slab.shared_bytes),
                 [copy, kernel, slab = launch.slab] { kernel(copy, slab); });
  }
}

}  // namespace onefold::cuda::test
